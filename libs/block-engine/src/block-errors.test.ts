import { AppError, isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { blockErrnos, blockIoError, blockRangeError, errnoOf, linkLost, replicaIoError } from './block-errors.ts';

describe('errnoOf', () => {
  it.each(blockErrnos)('returns %s for an error of a device and of a replica', (errno) => {
    expect(errnoOf(blockIoError(errno, 'no'))).toBe(errno);
    expect(errnoOf(replicaIoError(errno, 'no'))).toBe(errno);
  });
  it('returns EINVAL for a request outside the device', () => {
    expect(errnoOf(blockRangeError('too far'))).toBe('EINVAL');
  });
  it('returns EIO for everything else, whatever its details contain', () => {
    const others = [
      linkLost('gone'),
      new Error('no'),
      undefined,
      new AppError('X', 'x', { details: { errno: 'EVIL' } }),
    ];
    expect(others.map(errnoOf)).toEqual(['EIO', 'EIO', 'EIO', 'EIO']);
  });
});

describe('errors of links', () => {
  it('are identified by code', () => {
    expect(isAppError(linkLost('gone'), 'LINK_LOST')).toBe(true);
    expect(linkLost('gone', new Error('reset')).cause).toMatchObject({ message: 'reset' });
  });
});
