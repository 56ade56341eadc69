import { describe, expect, it } from 'vitest';
import { isOwnedBy, ownerReferenceTo } from './owner-reference.ts';

const owner = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', metadata: { name: 'du', uid: 'u-1' } };

describe('ownerReferenceTo', () => {
  it('names the owner, and sets controller only when asked to', () => {
    const plain = { apiVersion: 'velero.io/v2alpha1', kind: 'DataUpload', name: 'du', uid: 'u-1' };
    expect(ownerReferenceTo(owner)).toEqual(plain);
    expect(ownerReferenceTo(owner, { controller: true })).toEqual({ ...plain, controller: true });
  });

  it('rejects an owner without a UID', () => {
    expect(() => ownerReferenceTo({ ...owner, metadata: { name: 'du' } })).toThrow('DataUpload du has no uid');
  });

  it('is compared by UID, not by name', () => {
    const child = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ownerReferences: [ownerReferenceTo(owner)] },
    };
    expect(isOwnedBy(child, owner)).toBe(true);
    expect(isOwnedBy(child, { ...owner, metadata: { name: 'du', uid: 'u-2' } })).toBe(false);
  });
});
