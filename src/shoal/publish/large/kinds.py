"""The kinds of data that are not in memory."""

from shoal.publish.large.baskets import LargeBaskets
from shoal.publish.large.dataset import LargeTable
from shoal.publish.large.fragmented_baskets import FragmentedBaskets
from shoal.publish.large.trees import LargeTrees

__all__ = ["LARGE"]

LARGE = (LargeTable, LargeBaskets, FragmentedBaskets, LargeTrees)
