import { describe, expect, it } from 'vitest';
import { unreadableNextStep } from './unreadable-source.ts';

describe('the next step for an unreadable entry', () => {
  it.each([
    ['unable to open file: open /uid/k: permission denied', /no_root_squash.*allow_other/],
    ['find: ./closed: Permission denied', /no_root_squash/],
    ['lstat /uid/k: stale NFS file handle', /mount it again/],
    ['lstat /uid/k: stale file handle', /mount it again/],
    ['open /uid/k: transport endpoint is not connected', /mount it again/],
    ['read /uid/k: input/output error', /kernel log/],
    ['readdir /uid/d: structure needs cleaning', /kernel log/],
    ['open /uid/k: too many levels of symbolic links', /^Check the file system of the volume and the permissions/],
  ])('is given for "%s"', (said, nextStep) => expect(unreadableNextStep(said)).toMatch(nextStep));
});
