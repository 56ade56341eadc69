/** The next step for an object that no engine can recreate. */
export const restoreObject =
  'Restore that object as it was, from an earlier version or a copy of the bucket, and leave all others alone: ' +
  'without it nothing of the repository can be read.';
