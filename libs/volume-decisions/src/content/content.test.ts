import type { VolumeSpec, VolumeStatus } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aVolumeObject } from '../volume/example-volume.ts';
import { attachedOnlyFor, contentOf, pendingContent } from './content-of.ts';

const fromBackup = 's3://bucket@here/?backup=backup-1&volume=vol';

describe('the first content of a volume', () => {
  it.each<[VolumeSpec, VolumeStatus, string | undefined, string | undefined]>([
    [{}, {}, undefined, undefined],
    [{ fromBackup }, {}, 'backup', 'unmarked'],
    [{ fromBackup }, { restoreInitiated: true, restoreRequired: true }, 'backup', 'pending'],
    [{ fromBackup }, { restoreRequired: true }, 'backup', 'pending'],
    [{ fromBackup }, { restoreInitiated: true, restoreRequired: false }, 'backup', 'there'],
    [{ dataSource: 'vol://a' }, {}, 'clone', 'unmarked'],
    [{ dataSource: 'vol://a' }, { cloneStatus: { state: 'initiated' } }, 'clone', 'pending'],
    [{ dataSource: 'vol://a' }, { cloneStatus: { state: 'failed' } }, 'clone', 'failed'],
    [{ dataSource: 'vol://a' }, { cloneStatus: { state: 'completed' } }, 'clone', 'there'],
  ])('spec %j with status %j: %s, %s', (spec, status, kind, state) => {
    const volume = aVolumeObject(spec, status);
    const found = contentOf(volume);
    expect([found?.kind.name, found?.state]).toEqual([kind, state]);
    expect(pendingContent(volume)?.name).toBe(state === 'there' ? undefined : kind);
  });
  it('until it is complete, allows attachment only for its own ticket and for expansion', () => {
    expect(attachedOnlyFor(aVolumeObject({ dataSource: 'vol://a' }))).toEqual({
      types: ['volume-clone-controller', 'volume-expansion-controller'],
      because: 'its content is being copied from vol://a',
    });
    expect(attachedOnlyFor(aVolumeObject())).toBeUndefined();
  });
});
