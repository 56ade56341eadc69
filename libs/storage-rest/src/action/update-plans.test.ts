import { describe, expect, it } from 'vitest';
import { exampleNode } from '../format/example-objects.ts';
import { nodeResource } from '../format/node-resource.ts';
import { plannedNode, plannedSetting } from './update-plans.ts';

describe('plannedSetting', () => {
  it('is expanded to all data engines, and trimmed', () => {
    expect(plannedSetting('default-replica-count', { value: ' 2 ' })).toBe('{"v1":"2","v2":"2"}');
  });
  it.each([
    ['backup-target', { value: 's3://b@r/' }, 'setting backup-target is not supported'],
    ['default-replica-count', { value: '21' }, 'should be less than or equal to 20'],
    ['default-replica-count', { value: 2 }, 'cannot read setting: value is not of type string'],
    ['default-replica-count', undefined, 'cannot read setting: the body is not a JSON object'],
  ])('of %s to %j is rejected', (name, body, words) => {
    expect(() => plannedSetting(name, body)).toThrow(words);
  });
});

describe('plannedNode', () => {
  it('replaces the mutable fields, and keeps the disks', () => {
    const sent = nodeResource({ node: exampleNode, address: '' }, 'http://a');
    const after = plannedNode(exampleNode, { ...sent, tags: ['b', 'a', 'b'] });
    expect(after).toEqual({ ...exampleNode.spec, tags: ['a', 'b'], instanceManagerCPURequest: 0 });
    expect(plannedNode(exampleNode, {})).toMatchObject({ allowScheduling: false, evictionRequested: false, tags: [] });
  });
  it('rejects an eviction from a node that still allows scheduling', () => {
    const body = { allowScheduling: true, evictionRequested: true };
    expect(() => plannedNode(exampleNode, body)).toThrow(
      /denied the request: need to disable scheduling on node node-1/,
    );
  });
});
