import { describe, expect, it } from 'vitest';
import { backupVolumePlan, keepsOffSource, withoutFastProvisioning } from './backup-volume-plan.ts';

const nothing = { secretNames: [], configMapNames: [] };
const plain = { storageClass: 'fast', readOnly: false, spcNoRelabeling: false, annotations: {}, copied: nothing };

describe('backupPVC', () => {
  it.each([
    ['nothing set', undefined, plain],
    ['entry for another class', { slow: { readOnly: true } }, plain],
    ['another class for the copy', { fast: { storageClass: 'copy' } }, { ...plain, storageClass: 'copy' }],
    ['an empty class counts as not set', { fast: { storageClass: '' } }, plain],
    ['read-only', { fast: { readOnly: true } }, { ...plain, readOnly: true }],
    [
      'read-only without SELinux relabelling',
      { fast: { readOnly: true, spcNoRelabeling: true } },
      { ...plain, readOnly: true, spcNoRelabeling: true },
    ],
    [
      'objects to copy',
      { fast: { secretNames: ['token'] } },
      { ...plain, copied: { ...nothing, secretNames: ['token'] } },
    ],
    ['annotations', { fast: { annotations: { a: 'b' } } }, { ...plain, annotations: { a: 'b' } }],
  ])('%s', (_, settings, plan) => {
    expect(backupVolumePlan(settings, 'fast')).toEqual(plan);
  });
  it('remarks that spcNoRelabeling has no effect on a writable copy', () => {
    const plan = backupVolumePlan({ fast: { spcNoRelabeling: true } }, 'fast');
    expect(plan).toMatchObject({ spcNoRelabeling: false, remark: expect.stringContaining('"fast"') });
  });
  it('removes the fast-provisioning annotation and nothing else', () => {
    const annotations = { 'csi.vsphere.volume/fast-provisioning': 'true', other: 'x' };
    const plan = backupVolumePlan({ fast: { annotations } }, 'fast');
    expect(keepsOffSource(plan)).toBe(true);
    const without = withoutFastProvisioning(plan);
    expect(keepsOffSource(without)).toBe(false);
    expect(without.annotations).toEqual({ other: 'x' });
    expect(annotations).toHaveProperty(['csi.vsphere.volume/fast-provisioning']);
  });
});
