"""Calls a library whose functions return an error number, as CUDA's do; 0 means no error."""


def checked(library):
    """Returns two functions: one requires that a call returns no error, the other one that it returns the given
    error."""

    def expect(error, name, *arguments):
        given = getattr(library, name)(*arguments)
        assert given == error, f"{name} gives {given}, {error} expected"

    def call(name, *arguments):
        expect(0, name, *arguments)

    return call, expect
