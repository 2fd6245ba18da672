"""Puts data/ into the installed package as tokenlab/_data; all else stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["tokenlab*"]), "tokenlab._data"],
    package_dir={"tokenlab._data": "data"},
)
