import { describe, expect, it } from 'vitest';
import * as apiTypes from '../index.ts';
import { kindDefinitions } from './index.ts';

describe('kindDefinitions', () => {
  it('contain each exported velero.io kind once', () => {
    const exported = Object.values(apiTypes).filter(
      (value): value is apiTypes.ResourceType =>
        typeof value === 'object' && 'group' in value && value.group === apiTypes.veleroGroup,
    );
    const defined = kindDefinitions.map(({ type }) => type);
    expect(defined).toHaveLength(13);
    expect(new Set(defined)).toEqual(new Set(exported));
    expect(new Set(defined.map(({ resource }) => resource)).size).toBe(13);
  });

  it('are namespaced, and only the two data movements of snapshots are v2alpha1', () => {
    expect(kindDefinitions.filter(({ type }) => !type.namespaced)).toEqual([]);
    const later = kindDefinitions.filter(({ type }) => type.version !== 'v1').map(({ type }) => type.kind);
    expect(later).toEqual(['DataUpload', 'DataDownload']);
  });
});
