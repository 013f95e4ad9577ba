"""Build from what is there now: setuptools leaves build/lib behind, and would pack modules of it that have been moved or deleted since."""

import shutil

from setuptools import setup
from setuptools.command.build_py import build_py


class FreshBuild(build_py):
    """Copies the modules into an empty folder."""

    def run(self) -> None:
        """Empty the folder, and build."""
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(cmdclass={"build_py": FreshBuild})
