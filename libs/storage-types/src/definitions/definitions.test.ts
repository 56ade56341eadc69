import type { ResourceType } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import * as storageTypes from '../index.ts';
import { actedOnDefinitions, storageKindDefinitions } from './index.ts';

describe('storageKindDefinitions', () => {
  it('contain each exported longhorn.io kind once', () => {
    const exported = Object.values<unknown>(storageTypes).filter(
      (value): value is ResourceType =>
        typeof value === 'object' && value !== null && 'group' in value && value.group === storageTypes.longhornGroup,
    );
    const defined = storageKindDefinitions.map(({ type }) => type);
    expect(defined).toHaveLength(25);
    expect(new Set(defined)).toEqual(new Set(exported));
    expect(new Set(defined.map(({ resource }) => resource)).size).toBe(25);
    expect(actedOnDefinitions).toHaveLength(14);
  });

  it('are namespaced, with one version, a status subresource and one short name each', () => {
    for (const { type, statusSubresource, shortNames } of storageKindDefinitions) {
      expect([type.kind, type.namespaced, type.version, statusSubresource]).toEqual([type.kind, true, 'v1beta2', true]);
      expect(shortNames).toHaveLength(1);
    }
    expect(new Set(storageKindDefinitions.flatMap(({ shortNames }) => shortNames)).size).toBe(25);
  });
});
