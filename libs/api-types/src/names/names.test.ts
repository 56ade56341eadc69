import { describe, expect, it } from 'vitest';
import { annotations, perDriver } from './annotations.ts';
import { dataPathReasons } from './data-path-reasons.ts';
import { finalizers } from './finalizers.ts';
import { hookAnnotations } from './hook-annotations.ts';
import { isBuiltInDataMover, isUnfitDataMover } from './installation.ts';
import { labels, labelValues } from './labels.ts';
import { labelValueLengthMax } from './valid-name.ts';

const keys = [...Object.values(labels), ...Object.values(annotations), ...Object.values(finalizers)];
const qualifiedName = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

describe('names', () => {
  it.each(keys)('%s is a valid key in Kubernetes', (key) => {
    expect(key).toMatch(qualifiedName);
    expect((key.split('/').at(-1) ?? '').length).toBeLessThanOrEqual(labelValueLengthMax);
  });

  it('have one meaning each', () => {
    for (const table of [labels, annotations, finalizers, dataPathReasons]) {
      const values = Object.values(table);
      expect(new Set(values).size).toBe(values.length);
    }
  });

  it('have values that fit into a label', () => {
    for (const value of Object.values(labelValues)) expect(value).toMatch(/^[A-Za-z0-9][-A-Za-z0-9_.]{0,62}$/);
  });

  it('of hooks have their prefix', () => {
    expect(hookAnnotations.preBackup['on-error']).toBe('pre.hook.backup.velero.io/on-error');
    expect(hookAnnotations.backup.command).toBe('hook.backup.velero.io/command');
    expect(hookAnnotations.postRestore['wait-for-ready']).toBe('post.hook.restore.velero.io/wait-for-ready');
    expect(hookAnnotations.initRestore['container-image']).toBe('init.hook.restore.velero.io/container-image');
  });

  it('of a snapshot class for a driver end with the driver, in lower case', () => {
    expect(perDriver(annotations.csiVolumeSnapshotClass, 'CSI.lateen.dev')).toBe(
      'velero.io/csi-volumesnapshot-class_csi.lateen.dev',
    );
  });
});

describe('isBuiltInDataMover', () => {
  it.each([
    [undefined, true],
    ['', true],
    ['velero', true],
    ['velero-fs', true],
    ['velero-block', true],
    ['Velero', false],
    ['other', false],
  ])('%s is %s', (datamover, expected) => {
    expect(isBuiltInDataMover(datamover)).toBe(expected);
  });
});

describe('isUnfitDataMover', () => {
  it.each([
    ['velero-block', 'Block', false],
    ['velero-block', 'Filesystem', true],
    ['velero-block', undefined, true],
    ['velero', 'Filesystem', false],
    [undefined, undefined, false],
    ['velero-fs', 'Block', false],
  ])('%s for volumeMode %s is %s', (datamover, volumeMode, expected) => {
    expect(isUnfitDataMover(datamover, volumeMode)).toBe(expected);
  });
});
