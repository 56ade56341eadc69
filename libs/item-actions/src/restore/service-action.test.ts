import type { RestoreSpec, Unstructured } from '@lateen/api-types';
import { recordingLog } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { serviceAction } from './service-action.ts';

async function specAfter(service: object, spec: Partial<RestoreSpec> = {}, log = recordingLog()): Promise<unknown> {
  const item = service as Unstructured;
  const context = { restore: { spec }, log } as unknown as RestoreActionContext;
  const signal = new AbortController().signal;
  return (await serviceAction.execute({ item, itemFromBackup: item }, context, signal)).updatedItem.spec;
}

describe('velero.io/service', () => {
  const http = { name: 'http', port: 80, protocol: 'TCP', nodePort: 30080 };
  const admin = { name: 'admin', port: 81, protocol: 'TCP', nodePort: 30081 };
  const plain = { port: 80, nodePort: 30080 };
  const free = ({ nodePort: _, ...port }: { nodePort?: number; [field: string]: unknown }) => port;
  const applied = (spec: object) => ({
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }) },
  });
  const managed = (...specs: object[]) => ({
    managedFields: specs.map((spec) => ({ manager: 'm', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': spec } })),
  });
  const portKey = 'k:{"port":80,"protocol":"TCP"}';

  const services: [string, object, object, object][] = [
    ['addresses', {}, { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [] }, { ports: [] }],
    ['no address', {}, { clusterIP: 'None', clusterIPs: ['None'] }, { clusterIP: 'None', clusterIPs: ['None'] }],
    ['an external name', {}, { type: 'ExternalName', externalName: 'x' }, { type: 'ExternalName', externalName: 'x' }],
    ['ports that nobody asked for', {}, { ports: [http, plain] }, { ports: [http, plain].map(free) }],
    [
      'a port asked for by its name',
      applied({
        ports: [
          { name: 'http', port: 80, nodePort: 30080 },
          { name: 'admin', port: 81 },
        ],
      }),
      { ports: [http, admin] },
      { ports: [http, free(admin)] },
    ],
    [
      'a port asked for by its name with another number',
      applied({ ports: [{ name: 'http', nodePort: 31111 }] }),
      { ports: [http] },
      { ports: [http] },
    ],
    [
      'an unnamed port asked for',
      applied({ ports: [{ port: 80, nodePort: 30080 }] }),
      { ports: [plain] },
      { ports: [plain] },
    ],
    [
      'an unnamed port asked for with another number',
      applied({ ports: [{ port: 80, nodePort: 31111 }] }),
      { ports: [plain] },
      { ports: [free(plain)] },
    ],
    [
      'a port asked for as 0',
      applied({ ports: [{ name: 'http', nodePort: 0 }] }),
      { ports: [http] },
      { ports: [free(http)] },
    ],
    ['an applied configuration without ports', applied({}), { ports: [http] }, { ports: [free(http)] }],
    [
      'an applied configuration that asks for none, and a manager that set one',
      {
        ...applied({ ports: [{ name: 'http', port: 80 }] }),
        ...managed({ 'f:ports': { [portKey]: { 'f:nodePort': {} } } }),
      },
      { ports: [http] },
      { ports: [free(http)] },
    ],
    [
      'a port that a manager has set',
      managed({ 'f:type': {} }, { 'f:ports': { [portKey]: { '.': {}, 'f:nodePort': {} } } }),
      { ports: [http, admin] },
      { ports: [http, free(admin)] },
    ],
    [
      'a port of another protocol that a manager has set',
      managed({ 'f:ports': { 'k:{"port":80,"protocol":"UDP"}': { 'f:nodePort': {} } } }),
      { ports: [http] },
      { ports: [free(http)] },
    ],
    [
      'a port without protocol that a manager has set',
      managed({ 'f:ports': { [portKey]: { 'f:nodePort': {} } } }),
      { ports: [plain] },
      { ports: [plain] },
    ],
    [
      'a port that a manager has set without its node port',
      managed({ 'f:ports': { [portKey]: { 'f:port': {} } } }),
      { ports: [http] },
      { ports: [free(http)] },
    ],
    [
      'fields that cannot be read',
      managed({ 'f:ports': { 'k:{': {}, '.': {} } }),
      { ports: [http] },
      { ports: [free(http)] },
    ],
    ['a port for health that nobody asked for', {}, { healthCheckNodePort: 31000 }, {}],
    [
      'a port for health that was applied',
      applied({ healthCheckNodePort: 31000 }),
      { healthCheckNodePort: 31000 },
      { healthCheckNodePort: 31000 },
    ],
    [
      'a port for health that was applied as 0',
      applied({ healthCheckNodePort: 0 }),
      { healthCheckNodePort: 31000 },
      {},
    ],
    [
      'a port for health that a manager has set',
      managed({ 'f:healthCheckNodePort': {} }),
      { healthCheckNodePort: 31000 },
      { healthCheckNodePort: 31000 },
    ],
  ];
  const service = (metadata: object, spec: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'shop', name: 's', ...metadata },
    spec,
  });

  it.each(services)('%s', async (_title, metadata, before, after) => {
    expect(await specAfter(service(metadata, before))).toEqual(after);
  });

  it('keeps all ports when the restore says so, but no address', async () => {
    const before = { clusterIP: '10.0.0.1', ports: [http, plain], healthCheckNodePort: 31000 };
    expect(await specAfter(service({}, before), { preserveNodePorts: true })).toEqual({
      ports: [http, plain],
      healthCheckNodePort: 31000,
    });
  });

  it('uses managedFields when the last-applied configuration is invalid, and reports it', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{' };
    const metadata = { annotations, ...managed({ 'f:ports': { [portKey]: { 'f:nodePort': {} } } }) };
    const item = service(metadata, { ports: [http, admin] });
    const log = recordingLog();
    expect(await specAfter(item, {}, log)).toEqual({ ports: [http, free(admin)] });
    expect(log.messages('warn')).toHaveLength(1);
  });
});
