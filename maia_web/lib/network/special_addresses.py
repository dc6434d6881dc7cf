"""Special addresses: the ranges that are no part of the public internet, as IANA registers them.

Source: the CSV files of the "IANA IPv4 (IPv6) Special-Purpose Address Registry",
https://www.iana.org/assignments/iana-ipv4-special-registry/iana-ipv4-special-registry-1.csv
https://www.iana.org/assignments/iana-ipv6-special-registry/iana-ipv6-special-registry-1.csv
One row here for each row there (a row of two addresses is two). To renew the table, compare it with
the files, add the rows that are new, each with its test's address, and set the date. Python's own
`is_global` is another table in each of its releases, and some of them are open to cloud metadata.
"""

from __future__ import annotations

import ipaddress
from typing import NamedTuple

AS_OF = "2026-07-18"


class Special(NamedTuple):
    """A range, what it is for, and where that is laid down."""

    block: str
    name: str
    source: str


IPV4 = (
    Special("0.0.0.0/8", "This network", "RFC 791"),
    Special("0.0.0.0/32", "This host on this network", "RFC 1122"),
    Special("10.0.0.0/8", "Private use", "RFC 1918"),
    Special("100.64.0.0/10", "Shared address space", "RFC 6598"),
    Special("127.0.0.0/8", "Loopback", "RFC 1122"),
    Special("169.254.0.0/16", "Link local", "RFC 3927"),
    Special("172.16.0.0/12", "Private use", "RFC 1918"),
    Special("192.0.0.0/24", "IETF protocol assignments", "RFC 6890"),
    Special("192.0.0.0/29", "IPv4 service continuity prefix", "RFC 7335"),
    Special("192.0.0.8/32", "IPv4 dummy address", "RFC 7600"),
    Special("192.0.0.9/32", "Port Control Protocol anycast", "RFC 7723"),
    Special("192.0.0.10/32", "TURN anycast", "RFC 8155"),
    Special("192.0.0.170/32", "NAT64/DNS64 discovery", "RFC 8880"),
    Special("192.0.0.171/32", "NAT64/DNS64 discovery", "RFC 8880"),
    Special("192.0.2.0/24", "Documentation (TEST-NET-1)", "RFC 5737"),
    Special("192.31.196.0/24", "AS112-v4", "RFC 7535"),
    Special("192.52.193.0/24", "AMT", "RFC 7450"),
    Special("192.88.99.0/24", "6to4 relay anycast, deprecated", "RFC 7526"),
    Special("192.88.99.2/32", "6a44 relay anycast", "RFC 6751"),
    Special("192.168.0.0/16", "Private use", "RFC 1918"),
    Special("192.175.48.0/24", "Direct delegation AS112 service", "RFC 7534"),
    Special("198.18.0.0/15", "Benchmarking", "RFC 2544"),
    Special("198.51.100.0/24", "Documentation (TEST-NET-2)", "RFC 5737"),
    Special("203.0.113.0/24", "Documentation (TEST-NET-3)", "RFC 5737"),
    Special("240.0.0.0/4", "Reserved", "RFC 1112"),
    Special("255.255.255.255/32", "Limited broadcast", "RFC 919"),
)
IPV6 = (
    Special("::1/128", "Loopback", "RFC 4291"),
    Special("::/128", "Unspecified", "RFC 4291"),
    Special("::ffff:0:0/96", "IPv4-mapped", "RFC 4291"),
    Special("64:ff9b::/96", "IPv4-IPv6 translation (NAT64)", "RFC 6052"),
    Special("64:ff9b:1::/48", "IPv4-IPv6 translation, local use", "RFC 8215"),
    Special("100::/64", "Discard only", "RFC 6666"),
    Special("100:0:0:1::/64", "Dummy prefix", "RFC 9780"),
    Special("2001::/23", "IETF protocol assignments", "RFC 2928"),
    Special("2001::/32", "Teredo", "RFC 4380"),
    Special("2001:1::1/128", "Port Control Protocol anycast", "RFC 7723"),
    Special("2001:1::2/128", "TURN anycast", "RFC 8155"),
    Special("2001:1::3/128", "DNS-SD service registration anycast", "RFC 9665"),
    Special("2001:2::/48", "Benchmarking", "RFC 5180"),
    Special("2001:3::/32", "AMT", "RFC 7450"),
    Special("2001:4:112::/48", "AS112-v6", "RFC 7535"),
    Special("2001:10::/28", "ORCHID, deprecated", "RFC 4843"),
    Special("2001:20::/28", "ORCHIDv2", "RFC 7343"),
    Special("2001:30::/28", "Drone remote ID entity tags", "RFC 9374"),
    Special("2001:db8::/32", "Documentation", "RFC 3849"),
    Special("2002::/16", "6to4", "RFC 3056"),
    Special("2620:4f:8000::/48", "Direct delegation AS112 service", "RFC 7534"),
    Special("3fff::/20", "Documentation", "RFC 9637"),
    Special("5f00::/16", "Segment routing SIDs", "RFC 9602"),
    Special("fc00::/7", "Unique local", "RFC 4193"),
    Special("fe80::/10", "Link local", "RFC 4291"),
)
# In none of the two registries, and no part of the public internet all the same.
OTHERS = (
    Special("224.0.0.0/4", "Multicast", "RFC 5771"),
    Special("168.63.129.16/32", "Metadata of Azure, on a public address", "Azure documentation"),
)
# All that is handed out to hosts of the IPv6 internet; what is outside is not, whatever it becomes.
GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")  # RFC 3513

_V4 = tuple(ipaddress.IPv4Network(row.block) for row in (*IPV4, *OTHERS))
_V6 = tuple(ipaddress.IPv6Network(row.block) for row in IPV6)
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})  # RFC 5214: the rest of the address is an IPv4 one


def is_special(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Returns whether the address is no host of the public internet, or hides another address.

    Also the rows that are "globally reachable": anycast leads to the nearest such machine, which
    may be one inside, and no page is kept there. An IPv4-mapped address is what it maps.
    """
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is None:
            return (
                ip not in GLOBAL_UNICAST
                or int(ip) >> 32 & 0xFFFF_FFFF in _ISATAP
                or any(ip in network for network in _V6)
            )
        ip = ip.ipv4_mapped
    return any(ip in network for network in _V4)
