import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { storageLabels, storageLabelValues } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { loadManifests } from '../read/load-manifests.ts';
import { isWorkload, type Workload } from './pod-template.ts';
import { renderManifests } from './render-manifests.ts';

const parts = ['namespace', 'controller', 'node-agent', 'snapshot-metadata', 'csi', 'volume-manager'] as const;
const deployDir = fileURLToPath(new URL('../../../../deploy', import.meta.url));
const objects = renderManifests(await loadManifests(deployDir), { parts });
const title = (object: Unstructured) => `${object.kind} ${object.metadata.name}`;

/** All mappings inside a value, with the field that contains them. */
function* mappings(value: unknown, key = ''): Generator<{ key: string; mapping: Record<string, unknown> }> {
  if (Array.isArray(value)) for (const item of value) yield* mappings(item, key);
  else if (typeof value === 'object' && value !== null) {
    yield { key, mapping: value as Record<string, unknown> };
    for (const [name, item] of Object.entries(value)) yield* mappings(item, name);
  }
}

const mounts = (object: Unstructured) => ['DaemonSet lateen-csi', 'DaemonSet volume-manager'].includes(title(object));
interface Ingress {
  from?: unknown[];
  ports: { port: number }[];
}

/** The security context of each container without special needs. */
const nothing = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');

describe('the manifests in deploy/base', () => {
  it('are complete, in the order of the parts', () => {
    expect(objects.map(title)).toMatchSnapshot();
  });

  it('have the label by which a checker lists them', () => {
    for (const object of objects)
      expect([title(object), object.metadata.labels?.['app.kubernetes.io/part-of']]).toEqual([title(object), 'lateen']);
  });

  it('use host paths and privileges only in CSI drivers of nodes, and host namespaces nowhere', () => {
    for (const object of objects.filter((it) => isWorkload(it) && !mounts(it)))
      for (const { mapping } of mappings(object)) {
        expect([title(object), mapping.hostPath, mapping.privileged]).toEqual([title(object), undefined, undefined]);
        for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(mapping[field]).toBeUndefined();
      }
  });

  it('make one container of the CSI pods privileged and give the sidecars no privileges', () => {
    const drivers = objects.filter(mounts);
    expect(drivers).toHaveLength(2);
    for (const driver of drivers) {
      const found = [...mappings(driver)].filter(({ key }) => key === 'securityContext').map(({ mapping }) => mapping);
      expect(found.filter(({ privileged }) => privileged === true)).toHaveLength(1);
      for (const context of found.filter(({ privileged }) => privileged !== true))
        expect(context).toMatchObject(nothing);
      for (const { mapping } of mappings(driver)) {
        const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => mapping[field] !== undefined);
        expect(used).toEqual([]);
      }
    }
  });

  it('mount host paths only into the privileged container of a pod', () => {
    const manager = objects.find((it) => title(it) === 'DaemonSet volume-manager');
    const { containers, volumes } = (manager as unknown as Workload).spec.template.spec;
    const ofHost = (volumes as { name: string; hostPath?: unknown }[]).filter(({ hostPath }) => hostPath !== undefined);
    const mountedBy = containers.map(({ name, volumeMounts = [] }) => {
      const mounted = (volumeMounts as { name: string }[]).filter((mount) =>
        ofHost.some((it) => it.name === mount.name),
      );
      return [name, mounted.length];
    });
    expect(mountedBy).toEqual([
      ['manager', 0],
      ['csi', ofHost.length],
    ]);
  });

  it('allow pods of the namespace to reach the volume API, and only managers and storage pods to reach the replicas', () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
    const open = policies.flatMap(({ spec }) => (spec as { ingress: Ingress[] }).ingress).filter(({ from }) => !from);
    expect(open.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([8085, 8501]);
    const selected = policies.map(({ spec }) => (spec as { podSelector: unknown }).podSelector);
    const served = objects.flatMap(({ kind, spec }) =>
      kind === 'Service' ? [{ matchLabels: (spec as { selector: unknown }).selector }] : [],
    );
    // Clients that ask for changed blocks present a token.
    const metadata = ['volume-manager-csi', 'lateen-csi-metadata'].map((name) => ({
      matchLabels: { 'app.kubernetes.io/name': name },
    }));
    expect(served).toEqual(expect.arrayContaining(metadata));
    expect(selected).toEqual(expect.arrayContaining(served.slice(0, 1)));
    expect(served).toHaveLength(1 + metadata.length);
    const { component } = storageLabels;
    expect(selected).toContainEqual({ matchLabels: { [component]: storageLabelValues.instanceManager } });
  });

  it('list each permission by verb and resource, except for backed-up and restored objects, which can be anything', () => {
    expect(roles.length).toBeGreaterThan(3);
    const everything: unknown[] = [];
    for (const role of roles)
      for (const rule of role.rules as Record<string, string[]>[]) {
        expect(rule.verbs?.length).toBeGreaterThan(0);
        if (Object.values(rule).flat().includes('*')) everything.push([title(role), rule]);
      }
    const ofBackups = { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'create', 'patch'] };
    expect(everything).toEqual([['ClusterRole lateen-controller', ofBackups]]);
  });

  it('allow only the backup components to list Secrets or read them in other namespaces', () => {
    for (const role of roles)
      for (const rule of role.rules as { resources: string[]; verbs: string[] }[]) {
        if (!rule.resources.includes('secrets')) continue;
        expect(role.kind).toBe('Role');
        expect(rule.verbs).not.toContain('list');
        expect(rule.verbs).not.toContain('watch');
      }
  });

  it('give the node-agent exactly one container, because the movers copy it', () => {
    const agent = objects.find((it) => isWorkload(it) && it.metadata.name === 'node-agent');
    expect(agent !== undefined && isWorkload(agent) && agent.spec.template.spec.containers.length).toBe(1);
    const env = [...mappings(agent)].filter(({ key }) => key === 'env').map(({ mapping }) => mapping.name);
    expect(env).toEqual(expect.arrayContaining(['NODE_NAME', 'VELERO_NAMESPACE', 'VELERO_SCRATCH_DIR']));
  });

  it('never pull an image that is already present', () => {
    const policies = objects.flatMap((it) => [...mappings(it)].map(({ mapping }) => mapping.imagePullPolicy));
    expect(new Set(policies.filter((it) => it !== undefined))).toEqual(new Set(['IfNotPresent']));
  });
});
