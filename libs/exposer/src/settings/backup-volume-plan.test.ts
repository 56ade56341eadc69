import { describe, expect, it } from 'vitest';
import { backupVolumePlan, keepsOffSource, withoutFastProvisioning } from './backup-volume-plan.ts';

const nothing = { secretNames: [], configMapNames: [] };
const plain = { storageClass: 'fast', readOnly: false, spcNoRelabeling: false, annotations: {}, copied: nothing };

describe('backupPVC', () => {
  it.each([
    ['nothing set', undefined, plain],
    ['another class is meant', { slow: { readOnly: true } }, plain],
    ['another class for the copy', { fast: { storageClass: 'copy' } }, { ...plain, storageClass: 'copy' }],
    ['an empty class is none', { fast: { storageClass: '' } }, plain],
    ['read-only', { fast: { readOnly: true } }, { ...plain, readOnly: true }],
    [
      'read-only without relabelling',
      { fast: { readOnly: true, spcNoRelabeling: true } },
      { ...plain, readOnly: true, spcNoRelabeling: true },
    ],
    [
      'what is copied for it',
      { fast: { secretNames: ['token'] } },
      { ...plain, copied: { ...nothing, secretNames: ['token'] } },
    ],
    ['annotations', { fast: { annotations: { a: 'b' } } }, { ...plain, annotations: { a: 'b' } }],
  ])('%s', (_, settings, plan) => {
    expect(backupVolumePlan(settings, 'fast')).toEqual(plan);
  });
  it('spcNoRelabeling of a writable copy is remarked on', () => {
    const plan = backupVolumePlan({ fast: { spcNoRelabeling: true } }, 'fast');
    expect(plan).toMatchObject({ spcNoRelabeling: false, remark: expect.stringContaining('"fast"') });
  });
  it('fast provisioning can be taken back, and nothing else goes', () => {
    const annotations = { 'csi.vsphere.volume/fast-provisioning': 'true', other: 'x' };
    const plan = backupVolumePlan({ fast: { annotations } }, 'fast');
    expect(keepsOffSource(plan)).toBe(true);
    const without = withoutFastProvisioning(plan);
    expect(keepsOffSource(without)).toBe(false);
    expect(without.annotations).toEqual({ other: 'x' });
    expect(annotations).toHaveProperty(['csi.vsphere.volume/fast-provisioning']);
  });
});
