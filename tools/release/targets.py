"""Defines the targets of a release."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Target:
    name: str  # name in file names
    zig: str  # zig's name
    wheel: str  # the platform tags of its wheel
    debian: str = ""  # the architecture of its .deb; empty if there is none
    rpm: str = ""
    oci: str = ""

    @property
    def is_linux(self):
        return "linux" in self.zig

    @property
    def is_windows(self):
        return "windows" in self.zig

    @property
    def is_wasm(self):
        return "wasm32" in self.zig

    @property
    def program(self):
        return "ptxray" + (".exe" if self.is_windows else ".wasm" if self.is_wasm else "")

    @property
    def launcher(self):
        """Returns zig's name for the target of ptxray-run, which opens the CUDA driver and so needs the system's C
        library."""
        return self.zig.replace("-musl", f"-gnu.{OLDEST_GLIBC}") if self.is_linux else ""


OLDEST_GLIBC = "2.28"  # the version of RHEL 8 and Debian 10; `manylinux_2_28` below requires the same


def linux(machine, debian):
    return Target(
        name=f"{machine}-linux",
        zig=f"{machine}-linux-musl",
        wheel=f"manylinux_2_28_{machine}",
        debian=debian,
        rpm=machine,
        oci=debian,
    )


TARGETS = [
    linux("x86_64", "amd64"),
    linux("aarch64", "arm64"),
    Target("wasm32", "wasm32-wasi", ""),  # the playground and the npm package
    # These are only built on request. docs/releasing.md describes how far they were tested.
    Target("x86_64-windows", "x86_64-windows-gnu", "win_amd64"),
    Target("aarch64-macos", "aarch64-macos.13.0", "macosx_13_0_arm64"),
    Target("x86_64-macos", "x86_64-macos.13.0", "macosx_13_0_x86_64"),
]
