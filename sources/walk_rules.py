"""What a walk leaves out by default, as data in git's own rule syntax (the last rule that matches wins)."""

from __future__ import annotations

from typing import Final

VCS_NAMES: Final = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".sl", "_darcs", "CVS", ".pijul"})
"""Folders (and the ``.git`` file of a worktree) of version control; never entered."""

OWN_NAMES: Final = frozenset({".satchel", ".satchel-batch", "satchel.toml", ".satchelignore"})
"""Our own output and configuration: never evidence about somebody's project."""

DEFAULT_EXCLUDES: Final = b"""\
# installed packages
node_modules/
bower_components/
jspm_packages/
site-packages/
.venv/
.virtualenv/
.pnpm-store/
**/.yarn/cache/
**/.yarn/unplugged/
Pods/
**/Carthage/Checkouts/
.bundle/
.gradle/
.m2/
**/.cargo/registry/
# caches and products of tools
__pycache__/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.hypothesis/
.ipynb_checkpoints/
.tox/
.nox/
.eggs/
*.egg-info/
.sass-cache/
.parcel-cache/
.turbo/
.next/
.nuxt/
.svelte-kit/
.angular/
.terraform/
.serverless/
.dart_tool/
.bloop/
.metals/
.nyc_output/
.coverage
.coverage.*
*.py[cod]
*.class
*.o
# left behind by editors and systems
.DS_Store
Thumbs.db
desktop.ini
*.swp
*.swo
*~
\\#*#
.#*
"""
"""Folders and files that no one wrote as part of the project; ``!name/`` in an ignore file takes one back."""

CACHE_MARKERS: Final = {"CACHEDIR.TAG": "a cache folder", "pyvenv.cfg": "a Python environment"}
"""A folder that holds a file of this name is left out as what it says (bford.info/cachedir for the first)."""

SENSITIVE_NAMES: Final = b"""\
# environment files, save the templates that are meant to be read
.env
.env.*
*.env
.envrc
!.env.example
!.env.*.example
!.env.sample
!.env.*.sample
!.env.template
!.env.*.template
!.env.dist
!.env.defaults
!example.env
!sample.env
!template.env
# private keys and key stores
id_rsa
id_dsa
id_ecdsa
id_ecdsa_sk
id_ed25519
id_ed25519_sk
*.pem
*.key
*.pfx
*.p12
*.p8
*.ppk
*.jks
*.keystore
*.kdbx
*.gpg
*.ovpn
.ssh/
.gnupg/
# credentials of tools
.netrc
_netrc
.npmrc
.pypirc
.pgpass
.my.cnf
.htpasswd
.git-credentials
.dockercfg
**/.docker/config.json
.aws/
.azure/
.kube/
.gcloud/
**/.config/gcloud/
.terraformrc
credentials
credentials.json
client_secret*.json
service-account*.json
service_account*.json
*.tfstate
*.tfstate.*
*.tfvars
!*.tfvars.example
secrets.yml
secrets.yaml
secrets.json
secrets.toml
.vault-token
.vault_pass
# what people typed
.bash_history
.zsh_history
.python_history
.node_repl_history
.psql_history
.mysql_history
.sqlite_history
.irb_history
"""
"""Files that hold secrets by their name. Naming one explicitly overrides; nothing in a repository does.

Rules that end in a slash are for folders, all others for files: a package called ``credentials`` stays.
"""
