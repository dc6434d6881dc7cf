"""Programs: what the demo model can write by heart."""

from __future__ import annotations

HELLO = '''"""Says hello."""


def greet(name: str) -> str:
    """Returns a friendly greeting."""
    return f"Hello, {name}!"


if __name__ == "__main__":
    print(greet("world"))
'''

FIBONACCI = '''"""Prints the first Fibonacci numbers."""


def fibonacci(count: int) -> list[int]:
    """Returns the first `count` numbers of the sequence."""
    numbers = [0, 1]
    while len(numbers) < count:
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:count]


if __name__ == "__main__":
    print(*fibonacci(15))
'''

PRIMES = '''"""Prints the prime numbers below 50."""


def is_prime(number: int) -> bool:
    """Returns whether only 1 and itself divide `number`."""
    return number > 1 and all(number % small for small in range(2, int(number**0.5) + 1))


if __name__ == "__main__":
    print(*(number for number in range(50) if is_prime(number)))
'''

PAGE = """<!doctype html>
<html lang="{language}">
<meta charset="utf-8">
<title>{title}</title>
<h1>{title}</h1>
<p>{text}</p>
</html>
"""
