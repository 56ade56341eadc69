import { describe, expect, it } from 'vitest';
import { checkNewVolume } from '../checks/new-volume.ts';
import { defaultSettings, readSettings } from '../settings/read-settings.ts';
import { withVolumeDefaults } from './with-volume-defaults.ts';

const none = new Set<string>();

describe('the defaults of a new volume', () => {
  it('pass the checks', () => {
    const spec = withVolumeDefaults({ size: '2097152' }, defaultSettings);
    expect(checkNewVolume({ name: 'v1', spec, nodeTags: none, diskTags: none })).toBeUndefined();
    expect(spec).toMatchObject({
      size: '2097152',
      numberOfReplicas: 3,
      staleReplicaTimeout: 2880,
      backupBlockSize: '2097152',
    });
  });

  it('come from the settings, and explicit values take precedence', () => {
    const setting = (name: string, value: string) => ({
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Setting',
      metadata: { name },
      value,
    });
    const { settings } = readSettings([
      setting('default-data-locality', 'best-effort'),
      setting('default-backup-block-size', '16'),
      setting('default-engine-image', 'storage:1'),
    ]);
    expect(withVolumeDefaults({}, settings)).toMatchObject({
      dataLocality: 'best-effort',
      backupBlockSize: '16777216',
      image: 'storage:1',
    });
    const given = { dataLocality: 'disabled', numberOfReplicas: 0 } as const;
    expect(withVolumeDefaults({ ...given, image: undefined } as never, settings)).toMatchObject({
      ...given,
      image: 'storage:1',
    });
  });
});
