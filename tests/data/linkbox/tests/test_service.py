"""The service, operation by operation."""

from linkbox import Service, Store


def test_a_link_leads_where_it_was_made_to() -> None:
    service = Service(Store())
    made = service.create("https://example.org/a")
    assert made.status == 201
    assert service.resolve(str(made.body["code"])).body == {"location": "https://example.org/a"}


def test_a_code_is_given_once() -> None:
    service = Service(Store())
    assert service.create("https://example.org/a", code="abcd").status == 201
    assert service.create("https://example.org/b", code="abcd").status == 409


def test_an_address_that_is_not_http_is_refused() -> None:
    assert Service(Store()).create("ftp://example.org").status == 400


def test_a_token_guards_making_and_forgetting() -> None:
    service = Service(Store(), token="opensesame")
    assert service.create("https://example.org").status == 401
    assert service.create("https://example.org", code="abcd", token="opensesame").status == 201
    assert service.delete("abcd").status == 401
    assert service.delete("abcd", token="opensesame").status == 204
