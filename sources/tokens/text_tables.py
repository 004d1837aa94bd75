"""The two tables behind the byte estimate, measured once over nine public vocabularies.

Measured in November 2026 on cl100k_base, o200k_base, Qwen 3, Qwen 3.5, Llama 3, DeepSeek V3 and V4,
Gemma 3 and Mistral's Tekken. Both are data: a longer list makes the estimate tighter, never wrong in
form, and the tests recheck every claim against the vocabularies that are at hand offline.
"""

from __future__ import annotations

from typing import Final

COMMON_PAIRS: Final = (
    "in er re on te st at en se de th es or co nt ti le al et an me ar ro it he tr ne io ri li ng ed "
    "is ta as nd pe ra to ch la el pa om ma ns ue ct ex ge ss na il ef ec am ou fi ur lo ty no un ll "
    "pr di ut si ve rt ac ce fo id us po ea mp va hi op ca nc ul tu ic ol pt od cl ke ha da rr em ad "
    "im if ot yp rs tt lu ap ts ag rn pl ht lt be ai so ab ig mi fa ld of up sc ls su bu ck mo ir js "
    "gi iv ho nu bl qu ep oo tc cr wi sp ie ni sh um ru eq fu ps xt lf os ip oc ey tp rg ow gr mm ay "
    "ee fr do ba bo au pi eg vi rm pp sa cu ry wa gs ib pu ev dr sl vu ui ia ly ew rl ob rd np nf ub "
    "oi sx we ys ml ov ua dd mb ms ok ff fl xp fe rc gu iz py tm by og je gh wh xs uc sy"
)
"""The 220 commonest pairs of adjacent letters inside words of source code and English prose.

They make up 93 % of all such pairs (3 MB of Python, JavaScript, Go, Rust, C, JSON and Markdown), and
only a third of the pairs of random letters: that is how a word is told from a random string.
"""

SINGLE_CHARS: Final = (
    # punctuation and symbols
    "¡£§©ª«\u00ad®°±²³´µ·¹º»¼½¿×\u200b‐‑–—―‘’“”„†•…′″※₂€™←→−─│█■●★☆♥♪、。《》「」『』【】〜！（），－"
    "．／０１２３４５６７８９：；＞？～�"
    # Latin, Greek, Cyrillic
    "ÀÁÂÃÄÇÉÍÎÓÖÚÜßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýāăąćčĐđēęěğīİıłńōőœřśşšťūůűźżžơưșțəάέήίαβγδεηθικλμνοπ"
    "ρςστυφχωόАБВГДЕЗИКЛМНОПРСТУФЦЧЭЯабвгдежзийклмнопрстуфхцчшщъыьэюяёіạảấầẩậắặếềểệỉịọỏốồổỗộớờởụủứửữự"
    # Hebrew, Arabic, Indic, Thai
    "אבדהוחילמנערשת،أإابةتثجحخدذرزسشصضطظعغفقكلمنهوىي\u064e\u064f\u0650\u0651\u0652پکگی\u0902कतनपमरलसह"
    "\u093e\u093f\u0940\u0941\u0947\u094b\u094dনর\u09be\u09bf\u09c7\u09cd\u0bbf\u0bc1\u0bcd\u0d4dกขคง"
    "จชณดตถทนบปผพมยรลวสหอะ\u0e31าำ\u0e34\u0e35\u0e37\u0e38\u0e39เแใไ\u0e47\u0e48\u0e49\u0e4c"
    # kana, Hangul
    "あいうえおかがきくけこごさざしじすせそただちっつてでとどなにのはばまみめもやよらりるれろわをんア"
    "ィイウェエオカキクグコサシジスズセタダチッテデトドナニバパビピフブプペポマムメャュョラリルレロン"
    "・ー가간개거게결경고공과구그글기나내는능니다당대도동되된드든들디라래러력로록료류른를름리만메면명"
    "목문미버번보복부분비사산상색생서성세션소수스습시식신아야어에여열오와요용우운원위으은을음의이인일"
    "임입자작장재적전정제져조주지진째체출치크태터턴트하한할함해호화환회"
    # Han
    "一万三上下不与专业东两个中为主么义之也书了事二于五些交产享京人亿今介从他付代以们件价任份企会传但"
    "位体何余作你使例供価保信修倍值停像元先入全公共关其具内円册再写出击分列则初利别到制前力功加务动動"
    "包化北区十午华单南即历原去县参及友反发取变口只可台右号司合同名后向否含听启告员周命和品哈商問器四"
    "回因国图土在地场型城基報場增声处备复外多大天失头女好如始子字存学安完定实客家容密对导将小少尔就局"
    "展山岁州工左已市布常平年并广序库应店度建开式引张当录形影径待後得微心必志态思性总息您情意感成我或"
    "户所手打技投报拉持指按换据排接推提播支收改放政效数整文料断新方族无日时明易星是時景更最月有服期木"
    "未本机权束条来板构果查标样格案模次款止正此步歳段每比民気水求江没治法注活流海消清游源火点無然片版"
    "物特率环现球理生用由电男画界番登的目直相省看県真知码确示社票私种科秒称移程税空立站章端笑符第等简"
    "算管米类系素索约级线组经结给统编网置美老考者而联能自至色节英藏行表装西要見见规视角解言計記話読计"
    "认议记论设证评试话该语误说请读调象责败货费资起超路身车转载辑输达过运近还这进连述退送选通速造連道"
    "部都配释里重量金错长開間関门闭问间队阳陆限院除雅集雷需非面音页项题首验高黑"
)
"""Every character outside ASCII that is one token by itself in all nine vocabularies."""
