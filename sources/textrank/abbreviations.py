"""Words that end with a full stop of their own, in the languages that projects write most, by what follows.

All languages are in one table: repositories do not say which one a text is in, and mix them. A word that is
common without a stop in another language (``art``, ``no``) stands where only a number decides.
"""

from __future__ import annotations

from typing import Final


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALWAYS_GO_ON: Final = _set(
    # titles and what stands in front of a name
    """mr mrs ms messrs dr prof rev hon gen col capt lt sgt cmdr gov sen rep pres supt st mt
    sr sra srta dña excmo ing arq lic mme mlle mmes mgr hr fr frl hrn dipl dir
    bpk sdr sdri yth jl jln tn ny drs kel kec kab prov pt cv ki
        sig dott avv ing skt psicol med kath ev str δρ п.χ π.χ κ д-р проф пгт гг кв вул стор журн вид чл м
    обл род рік
        prof.dr sen pvt pfc maj cpl adm hr.dr sig.ra dott.ssa msgr inż mgr dhr mevr ds jhr г ул пр просп
    пер пл им д р тов гр акад о
    """
    # what explains or refers, whatever follows
    """e.g i.e eg viz cf vs ca approx resp incl excl esp respectively
    z.b d.h u.a o.ä i.d.r v.a bzw sog ggf evtl insb insbes vgl bspw inkl exkl zzgl einschl ehem geb gest
    mis tsb dgn yg spt p.ej p.ex av.-j.-c np tzn tj tzw m.in bijv d.w.z o.a m.b.t t.o.v
    т.е т.к т.н т.ч напр см ср bl.a t.ex f.eks d.v.s
    """
)
"""No sentence ends with these."""

GO_ON_BEFORE_NUMBERS: Final = _set(
    """no nos nr núm num fig figs sec sect ch chap vol vols pp p pg art arts abs abschn kap para eq eqs ex
    tab tbl ref refs app ver v rev ed ser hal bab ps ayat rp s seite zeile stück anm bd ziff lit
    рис табл гл стр с т п пп ч c ca jan feb mar apr jun jul aug sep sept oct nov dec
    ft in lb lbs oz mi yd hr hrs n° див год хв тис str
    janv févr avr juil août déc ene abr ago dic okt dez mei agu des
    """
)
"""These go on before a number, and end a sentence otherwise."""

GO_ON_UNLESS_STARTED: Final = _set(
    """etc usw usf uvm dll dsb dst al inc ltd co corp jr sr bros llc plc gmbh ag est dept univ assn
        u.s u.k e.u u.n a.m p.m ph.d m.d b.a m.a b.sc m.sc d.c a.d b.c s.a s.p.a ee.uu n.b itd itp i.t.p
    т.д т.п др
        enz e.d o.s.v m.m osv jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur
    thurs fri sat sun
    min max avg std ext int tel fax attn govt misc orig
    """
)
"""These end a sentence where the next word is one that sentences begin with."""

STARTERS: Final = _set(
    """the a an this that these those it its he she they we you i there here in on at by for from with to of
    if when while where after before since because although as however but and or so then thus also not no
        what who why how which do does did is are was were has have can will would should let our my your
    his her their all each every some any many most both see use note
        der die das ein eine es er sie wir ich ihr dies diese dieser dieses in im am wenn als aber und
    oder so dann
    le la les un une des il elle ils elles nous vous je ce cette ces on si mais et ou donc
    el los las un una unos esto este esta estos estas en si pero y o no
    yang ini itu dia mereka kami kita saya jika bila ketika namun tetapi dan atau maka untuk dengan pada di
    de het een wij zij dit deze als maar en of это он она они мы вы я в на если когда но и или так
    """
)
"""With a capital, they begin a sentence more often than they are part of a name."""

MONTHS: Final = _set(
    """januar jänner februar märz april mai juni juli august september oktober november dezember
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    ledna února března dubna května června července srpna září října listopadu prosince
    januari februari maart mars mei juni augustus oktober desember december juuli tammikuuta helmikuuta
        maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta
    joulukuuta
    jahrhundert jahrhunderts klasse auflage kapitel juni jan feb mär apr aug sep sept okt nov dez
    """
)
"""A day in front of these is an ordinal number, which some languages write with a full stop."""
