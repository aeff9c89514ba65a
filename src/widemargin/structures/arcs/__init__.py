"""Dependency trees and their parts: eisner, siblings, arborescence, heads."""
