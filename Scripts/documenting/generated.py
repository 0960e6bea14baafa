# SPDX-License-Identifier: Apache-2.0
"""The generated parts of pages."""


def differences(root):
    return []


def renew(root):
    pass
