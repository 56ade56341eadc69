import { describe, expect, it } from 'vitest';
import { mustBeMounted } from './volume-mounted.ts';

const mountinfo = `22 1 0:20 / / rw,relatime - overlay overlay rw
45 22 7:3 / /3f1c-uid rw,relatime - ext4 /dev/loop3 rw
46 22 7:4 /sub /with\\040space rw - xfs /dev/loop4 rw`;

describe('mustBeMounted', () => {
  it.each(['/3f1c-uid', '/3f1c-uid/', '/with space'])('accepts %s', (path) => {
    expect(() => mustBeMounted(path, mountinfo)).not.toThrow();
  });

  it.each(['/3f1c', '/3f1c-uid/dir', '/none', '/'])('refuses %s, which is not a mount point of a volume', (path) => {
    expect(() => mustBeMounted(path, mountinfo)).toThrow(`no volume is mounted at ${path}`);
  });
});
