"""The kinds of data that are not in memory."""

from shoal.publish.large.basket_data import LargeBaskets
from shoal.publish.large.dataset import LargeTable
from shoal.publish.large.fragmented_baskets import FragmentedBaskets
from shoal.publish.large.tree_data import LargeTrees

__all__ = ["LARGE"]

LARGE = (LargeTable, LargeBaskets, FragmentedBaskets, LargeTrees)
