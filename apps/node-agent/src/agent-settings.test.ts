import { describe, expect, it } from 'vitest';
import { agentSettings } from './agent-settings.ts';
import { quantityValue } from './quantity.ts';

const parsed = (settings: unknown, nodeLabels: Record<string, string> = {}) =>
  agentSettings('velero/agents', { 'config.json': JSON.stringify(settings) }, nodeLabels);
const rule = (number: unknown, matchLabels: Record<string, string>) => ({ nodeSelector: { matchLabels }, number });

describe('how many data paths a node runs', () => {
  const rules = {
    globalConfig: 5,
    perNodeConfig: [rule(2, { zone: 'a' }), rule(3, { disk: 'ssd' }), rule(0, { zone: 'b' })],
  };
  it.each([
    ['no rule matches: the global number', {}, 5],
    ['one matches', { disk: 'ssd' }, 3],
    ['two match: the least', { disk: 'ssd', zone: 'a' }, 2],
    ['one matches with a number that cannot be: the global one', { zone: 'b' }, 5],
  ])('%s', (_, nodeLabels, concurrency) => {
    expect(parsed({ loadConcurrency: rules }, nodeLabels as Record<string, string>).concurrency).toBe(concurrency);
  });
  it.each([0, -1, 1.5, '3', null])('%j is no number of data paths, and that is remarked on', (globalConfig) => {
    const { concurrency, remarks } = parsed({ loadConcurrency: { globalConfig } });
    expect(concurrency).toBeUndefined();
    expect(remarks).toHaveLength(1);
  });
  it.each([
    ['In', ['a', 'b'], { zone: 'a' }, true],
    ['In', ['a', 'b'], { zone: 'c' }, false],
    ['NotIn', ['a'], {}, true],
    ['NotIn', ['a'], { zone: 'a' }, false],
    ['Exists', [], { zone: 'x' }, true],
    ['DoesNotExist', [], { zone: 'x' }, false],
    ['Near', [], { zone: 'x' }, false],
  ])('zone %s %j on a node with %j: %s', (operator, values, nodeLabels, matches) => {
    const nodeSelector = { matchExpressions: [{ key: 'zone', operator, values }] };
    const loadConcurrency = { globalConfig: 1, perNodeConfig: [{ nodeSelector, number: 7 }] };
    expect(parsed({ loadConcurrency }, nodeLabels as Record<string, string>).concurrency).toBe(matches ? 7 : 1);
  });
});

describe('what a hosting pod may use', () => {
  it('is passed on as written', () => {
    const podResources = {
      cpuRequest: '0.5',
      cpuLimit: '1500m',
      memoryRequest: '1Gi',
      memoryLimit: '1Gi',
      ephemeralStorageLimit: '0',
    };
    expect(parsed({ podResources })).toMatchObject({
      podResources: { requests: { cpu: '0.5', memory: '1Gi' }, limits: { cpu: '1500m', memory: '1Gi' } },
      remarks: [],
    });
  });
  it.each([
    [{ cpuRequest: 'much', memoryLimit: '1Gi' }, 'cpu "much" is not a quantity'],
    [{ memoryRequest: '2Gi', memoryLimit: '1Gi' }, 'memory requests more than its limit'],
    [{ memoryRequest: 1 }, 'memory 1 is not a quantity'],
  ])('%j: one mistake drops it all', (podResources, remark) => {
    const settings = parsed({ podResources });
    expect(settings.podResources).toBeUndefined();
    expect(settings.remarks).toEqual([expect.stringContaining(remark)]);
  });
  it('nothing set is nothing', () => {
    expect(parsed({ podResources: {} })).toEqual({ concurrency: undefined, podResources: undefined, remarks: [] });
  });
});

describe('the config map itself', () => {
  it('is refused without exactly one key, and says so', () => {
    expect(() => agentSettings('velero/agents', undefined, {})).toThrow('ConfigMap velero/agents has 0 data keys');
    expect(() => agentSettings('velero/agents', { a: '{}', b: '{}' }, {})).toThrow('has 2 data keys');
  });
  it.each(['', 'no json', '[]', 'null', '3'])('%j is refused', (text) => {
    expect(() => agentSettings('velero/agents', { a: text }, {})).toThrow(
      expect.objectContaining({ code: 'AGENT_SETTINGS' }),
    );
  });
  it('with settings of another version works, and names them', () => {
    expect(parsed({ backupPVC: {}, loadConcurrency: { globalConfig: 2 } })).toMatchObject({
      concurrency: 2,
      remarks: ['"backupPVC" is not supported by this version and has no effect'],
    });
  });
});

describe('a quantity', () => {
  it.each([
    ['0', 0],
    ['500m', 0.5],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['.5', 0.5],
    ['1.', 1],
    ['+2', 2],
    ['1e3', 1000],
    ['1E', 1e18],
    ['2E2', 200],
    ['100k', 100_000],
  ])('%s', (text, value) => {
    expect(quantityValue(text)).toBeCloseTo(value);
  });
  it.each(['', '-1', '1 Gi', '1KB', 'Gi', '1e', '1e3m', '0x1', '1,5'])('%j is none', (text) => {
    expect(quantityValue(text)).toBeUndefined();
  });
});
