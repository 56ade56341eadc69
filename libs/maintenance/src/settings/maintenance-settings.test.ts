import type { ConfigMap } from '@lateen/api-types';
import { aBackupRepository } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { keepLatestDefault, keepLatestMax, maintenanceSettings } from './maintenance-settings.ts';

const repository = aBackupRepository();
const configOf = (data: Record<string, unknown>): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm' },
  data: Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  ),
});
const nodeSelector = { matchLabels: { disk: 'fast' } };

describe('settings of maintenance Jobs', () => {
  it('are defaults without a ConfigMap', () => {
    expect(maintenanceSettings(undefined, repository)).toEqual({
      settings: { keepLatestMaintenanceJobs: keepLatestDefault },
      problems: [],
    });
  });

  it('of one repository override resources, affinity and number; other settings apply to all', () => {
    const config = configOf({
      global: {
        podResources: { memoryLimit: '1Gi' },
        loadAffinity: [{ nodeSelector: {} }],
        keepLatestMaintenanceJobs: 1,
        priorityClassName: 'low',
        podLabels: { a: 'b' },
        podAnnotations: { c: 'd' },
      },
      'app-default-kopia': {
        podResources: { cpuRequest: '100m', memoryLimit: '2Gi' },
        loadAffinity: [{ nodeSelector }, { nodeSelector: {} }],
        keepLatestMaintenanceJobs: 0,
        priorityClassName: 'high',
        podLabels: { x: 'y' },
      },
      'other-default-kopia': { keepLatestMaintenanceJobs: 9 },
    });
    expect(maintenanceSettings(config, repository)).toEqual({
      settings: {
        resources: { requests: { cpu: '100m' }, limits: { memory: '2Gi' } },
        nodeSelector,
        keepLatestMaintenanceJobs: 0,
        priorityClassName: 'low',
        podLabels: { a: 'b' },
        podAnnotations: { c: 'd' },
      },
      problems: [],
    });
  });

  it.each([
    [{ global: '{' }, 'global: it is not JSON'],
    [{ global: [1] }, 'global: it is not a JSON object'],
    [{ global: { podResources: { memoryLimit: 'much' } } }, 'podResources: memoryLimit "much" is not a quantity'],
    [
      { global: { podResources: { cpuRequest: '2', cpuLimit: '1' } } },
      'podResources: cpuRequest "2" is more than cpuLimit "1"',
    ],
    [{ global: { podResources: 7 } }, 'podResources: 7 is not an object with cpuRequest, cpuLimit and so on'],
    [{ global: { keepLatestMaintenanceJobs: -1 } }, 'keepLatestMaintenanceJobs: -1 is not a whole number from 0'],
    [{ global: { loadAffinity: {} } }, 'loadAffinity: it is not a list of entries with a nodeSelector'],
    [{ global: { priorityClassName: 5 } }, 'priorityClassName: it is not a string'],
    [{ global: { podLabels: { a: 1 } } }, 'podLabels: it is not a set of strings'],
  ])('%j are ignored: %s', (data, problem) => {
    expect(maintenanceSettings(configOf(data), repository)).toEqual({
      settings: { keepLatestMaintenanceJobs: keepLatestDefault },
      problems: [problem],
    });
  });

  it('keep no more Jobs than the limit, and treat zero amounts as not set', () => {
    const config = configOf({ global: { keepLatestMaintenanceJobs: 1000, podResources: { cpuLimit: '0' } } });
    const { settings } = maintenanceSettings(config, repository);
    expect(settings.keepLatestMaintenanceJobs).toBe(keepLatestMax);
    expect(settings.resources).toBeUndefined();
  });
});
