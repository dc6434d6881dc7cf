"""Addresses: which URLs and IP addresses may be reached."""

from __future__ import annotations

import ipaddress
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maia_web.lib.network import special_addresses
from maia_web.lib.network.addresses import OutgoingRefused, Target, check_url, is_public
from maia_web.lib.network.special_addresses import IPV4, IPV6, OTHERS

PRIVATE = (
    "127.0.0.1",
    "127.1.2.3",
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.255.255",
    "192.0.0.1",
    "192.0.0.192",  # Oracle's metadata, which some Pythons call global
    "192.0.0.255",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.1.1.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "192.88.99.1",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:168.63.129.16",
    "2002:7f00:1::",
    "2002:808:808::",
    "2001:0:53aa:64c::",
    "2001:0::1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "100:0:0:1::1",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "::ffff:0:127.0.0.1",
    "2606:4700::5efe:127.0.0.1",
    "2606:4700::200:5efe:10.0.0.1",
)
PUBLIC = (
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "::ffff:8.8.8.8",
    "2606:4700:4700::1111",
    "2a00:1450:4007::1",
    "192.0.1.1",
    "192.88.98.255",
    "223.255.255.255",
    "2003::1",
    "2001:200::1",
    "2620:4f:8001::1",
)


@pytest.mark.parametrize("address", PRIVATE)
def test_inside_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_internet_addresses_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize("row", [*IPV4, *IPV6, *OTHERS], ids=lambda row: row.block)
def test_no_address_of_a_special_range_is_public(row: special_addresses.Special) -> None:
    network = ipaddress.ip_network(row.block)
    middle = network.network_address + network.num_addresses // 2
    seen = {is_public(str(ip)) for ip in (network[0], middle, network[-1])}
    if row.block == "::ffff:0:0/96":  # each is judged as what it maps: 0.0.0.0, 128.0.0.0, …
        assert not is_public(str(network[0]))
        assert not is_public(str(network[-1]))
    else:
        assert seen == {False}
    if network.version == 4:
        assert not is_public(f"::ffff:{network[0]}")


def test_the_table_is_dated_and_complete() -> None:
    assert date.fromisoformat(special_addresses.AS_OF) <= date.today()
    assert (len(IPV4), len(IPV6)) == (26, 25)  # as many as the registries have addresses and ranges
    assert len({row.block for row in (*IPV4, *IPV6)}) == 51
    assert all(row.name and row.source for row in (*IPV4, *IPV6, *OTHERS))


@given(st.ip_addresses(v=6))
def test_what_is_no_global_unicast_is_not_public(ip: ipaddress.IPv6Address) -> None:
    if ip not in special_addresses.GLOBAL_UNICAST and ip.ipv4_mapped is None:
        assert not is_public(str(ip))


@given(st.ip_addresses())
def test_the_table_refuses_all_that_python_refuses(
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    mapped = getattr(ip, "ipv4_mapped", None) or ip
    if not mapped.is_global or mapped.is_multicast:
        assert not is_public(str(ip))


@pytest.mark.parametrize("address", ["", "localhost", "127.1", "0x7f.1", "1.2.3.4.5", "[::1]"])
def test_what_is_no_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_is_judged_the_same_when_it_is_wrapped(ip: ipaddress.IPv4Address) -> None:
    assert is_public(f"::ffff:{ip}") == is_public(str(ip))
    high, low = int(ip) >> 16, int(ip) & 0xFFFF
    turned = f"{high ^ 0xFFFF:x}:{low ^ 0xFFFF:x}"  # as Teredo hides the client's address
    for wrapped in (
        f"64:ff9b::{ip}",
        f"64:ff9b:1::{ip}",
        f"::{ip}",
        f"::ffff:0:{ip}",
        f"2002:{high:x}:{low:x}::1",
        f"2001:0:5ef5:79fd:0:0:{turned}",
        f"2a00:1450:4007::5efe:{ip}",
    ):
        assert not is_public(wrapped)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://example.org", Target("http", "example.org", 80)),
        ("https://example.org./a?b#c", Target("https", "example.org", 443)),
        ("HTTPS://EXAMPLE.org:443/", Target("https", "example.org", 443)),
        ("http://[2606:4700::1]:80/", Target("http", "2606:4700::1", 80)),
    ],
)
def test_usual_addresses_pass(url: str, target: Target) -> None:
    assert check_url(url) == target


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://example.org", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("gopher://example.org", "scheme"),
        ("//example.org", "scheme"),
        ("example.org", "scheme"),
        ("http://user@example.org", "credentials"),
        ("http://user:pass@example.org", "credentials"),
        ("http://example.org@127.0.0.1", "credentials"),
        ("http://:@example.org", "credentials"),
        ("http://", "host"),
        ("http:///path", "host"),
        ("http://example.org:port", "host"),
        ("http://example.org:99999", "host"),
        ("http://exa mple.org", "host"),
        ("http://example.org/a\x00b", "host"),
        ("http://[::1", "host"),
        ("http://example.org:22", "port"),
        ("http://example.org:0", "port"),
        ("http://example.org:6379/", "port"),
        ("https://example.org:8443/", "port"),
    ],
)
def test_other_addresses_are_refused_and_it_is_said_why(url: str, code: str) -> None:
    with pytest.raises(OutgoingRefused) as caught:
        check_url(url)
    assert caught.value.code == code


@given(st.text())
def test_no_text_breaks_the_check(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.org/{text}"):
        try:
            check_url(url)
        except OutgoingRefused as refused:
            assert refused.code  # noqa: PT017 - nothing else may be raised


def test_an_administrator_names_hosts_and_ports() -> None:
    allowed = frozenset({"wiki.corp:8080"})
    assert check_url("http://WIKI.corp:8080/a", allowed).port == 8080
    with pytest.raises(OutgoingRefused):
        check_url("http://wiki.corp:8081/", allowed)
