"""Calls of a library whose functions give the number of an error, as CUDA's do; 0 is none."""


def checked(library):
    """Two functions: one calls and wants no error, the other wants the error that it is given first."""

    def expect(error, name, *arguments):
        given = getattr(library, name)(*arguments)
        assert given == error, f"{name} gives {given}, {error} expected"

    def call(name, *arguments):
        expect(0, name, *arguments)

    return call, expect
