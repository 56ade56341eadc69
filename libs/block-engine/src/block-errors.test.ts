import { AppError, isAppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { blockErrnos, blockIoError, blockRangeError, errnoOf, linkLost, replicaIoError } from './block-errors.ts';

describe('errnoOf', () => {
  it.each(blockErrnos)('takes %s from a device and from a replica alike', (errno) => {
    expect(errnoOf(blockIoError(errno, 'no'))).toBe(errno);
    expect(errnoOf(replicaIoError(errno, 'no'))).toBe(errno);
  });
  it('says EINVAL for what no device of this size could do', () => {
    expect(errnoOf(blockRangeError('too far'))).toBe('EINVAL');
  });
  it('says EIO for everything else, whatever its details hold', () => {
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
  it('are told apart by code', () => {
    expect(isAppError(linkLost('gone'), 'LINK_LOST')).toBe(true);
    expect(linkLost('gone', new Error('reset')).cause).toMatchObject({ message: 'reset' });
  });
});
