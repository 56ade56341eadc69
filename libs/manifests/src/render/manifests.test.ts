import { fileURLToPath } from 'node:url';
import type { Unstructured } from '@lateen/kube';
import { describe, expect, it } from 'vitest';
import { loadManifests } from '../read/load-manifests.ts';
import { isWorkload } from './pod-template.ts';
import { renderManifests } from './render-manifests.ts';

const parts = ['namespace', 'controller', 'node-agent', 'csi'] as const;
const deployDir = fileURLToPath(new URL('../../../../deploy', import.meta.url));
const objects = renderManifests(await loadManifests(deployDir), { parts });
const title = (object: Unstructured) => `${object.kind} ${object.metadata.name}`;

/** Every mapping inside a value, with the field it sits under. */
function* mappings(value: unknown, key = ''): Generator<{ key: string; mapping: Record<string, unknown> }> {
  if (Array.isArray(value)) for (const item of value) yield* mappings(item, key);
  else if (typeof value === 'object' && value !== null) {
    yield { key, mapping: value as Record<string, unknown> };
    for (const [name, item] of Object.entries(value)) yield* mappings(item, name);
  }
}

const isCsi = (object: Unstructured) => object.metadata.namespace === 'lateen-csi';
const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');

describe('the manifests in deploy/base', () => {
  it('are all there, in the order of the parts', () => {
    expect(objects.map(title)).toMatchSnapshot();
  });

  it('carry the label that a checker lists them by', () => {
    for (const object of objects)
      expect([title(object), object.metadata.labels?.['app.kubernetes.io/part-of']]).toEqual([title(object), 'lateen']);
  });

  it('use host paths, privilege and host namespaces in the CSI driver only', () => {
    for (const object of objects.filter((it) => isWorkload(it) && !isCsi(it)))
      for (const { mapping } of mappings(object)) {
        expect([title(object), mapping.hostPath, mapping.privileged]).toEqual([title(object), undefined, undefined]);
        for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(mapping[field]).toBeUndefined();
      }
  });

  it('make one container of the CSI pods privileged and give the sidecars nothing', () => {
    const [driver] = objects.filter((it) => isWorkload(it) && isCsi(it));
    const found = [...mappings(driver)].filter(({ key }) => key === 'securityContext').map(({ mapping }) => mapping);
    expect(found.filter(({ privileged }) => privileged === true)).toHaveLength(1);
    for (const context of found.filter(({ privileged }) => privileged !== true))
      expect(context).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('list every right by verb and resource, but for what is backed up and restored, which is everything', () => {
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

  it('let nobody list Secrets or reach them outside the namespace, but for who backs everything up', () => {
    for (const role of roles)
      for (const rule of role.rules as { resources: string[]; verbs: string[] }[]) {
        if (!rule.resources.includes('secrets')) continue;
        expect(role.kind).toBe('Role');
        expect(rule.verbs).not.toContain('list');
        expect(rule.verbs).not.toContain('watch');
      }
  });

  it('give the node-agent exactly one container, for the movers copy it', () => {
    const agent = objects.find((it) => isWorkload(it) && it.metadata.name === 'node-agent');
    expect(agent !== undefined && isWorkload(agent) && agent.spec.template.spec.containers.length).toBe(1);
    const env = [...mappings(agent)].filter(({ key }) => key === 'env').map(({ mapping }) => mapping.name);
    expect(env).toEqual(expect.arrayContaining(['NODE_NAME', 'VELERO_NAMESPACE', 'VELERO_SCRATCH_DIR']));
  });

  it('never ask a registry for what is there already', () => {
    const policies = objects.flatMap((it) => [...mappings(it)].map(({ mapping }) => mapping.imagePullPolicy));
    expect(new Set(policies.filter((it) => it !== undefined))).toEqual(new Set(['IfNotPresent']));
  });
});
