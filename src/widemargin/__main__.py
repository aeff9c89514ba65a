"""python -m widemargin."""

from widemargin.cli import main

raise SystemExit(main())
