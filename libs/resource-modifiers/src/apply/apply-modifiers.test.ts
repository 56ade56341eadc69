import type { Unstructured } from '@lateen/api-types';
import { parseExact, stringify } from '@lateen/kube';
import { aConfigMap } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { parseResourceModifiers } from '../parse/parse-modifiers.ts';
import { applyResourceModifiers } from './apply-modifiers.ts';

const deployment = (): Unstructured => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'shop', name: 'web-1', labels: { app: 'web' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        nodeSelector: { zone: 'a' },
        containers: [
          { name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] },
          { name: 'log', image: 'log:1' },
        ],
        volumes: [{ name: 'tmp', emptyDir: {} }],
      },
    },
  },
});

function applying(rules: string, object: Unstructured = deployment(), groupResource = 'deployments.apps') {
  const configMap = aConfigMap({
    namespace: 'velero',
    name: 'rules',
    data: { rules: `version: v1\nresourceModifierRules:\n${rules}` },
  });
  const before = stringify(object);
  const end = applyResourceModifiers(parseResourceModifiers(configMap), object, groupResource);
  expect(stringify(object)).toBe(before);
  return end;
}

const replicasTo3 = 'patches: [{operation: replace, path: /spec/replicas, value: "3"}]';

describe('the objects of a rule', () => {
  it.each<[conditions: string, isMeant: boolean]>([
    ['groupResource: deployments.apps', true],
    ['groupResource: pods', false],
    ['groupResource: "*.apps"', true],
    ['groupResource: "*"', false],
    ['groupResource: deployments.apps, namespaces: [shop]', true],
    ['groupResource: deployments.apps, namespaces: [bank]', false],
    ['groupResource: deployments.apps, namespaces: ["sh*"]', true],
    ['groupResource: deployments.apps, namespaces: ["*"]', true],
    ['groupResource: deployments.apps, resourceNameRegex: "^web-[0-9]+$"', true],
    ['groupResource: deployments.apps, resourceNameRegex: "eb"', true],
    ['groupResource: deployments.apps, resourceNameRegex: "(?i)WEB"', true],
    ['groupResource: deployments.apps, resourceNameRegex: "^db"', false],
    ['groupResource: deployments.apps, labelSelector: {matchLabels: {app: web}}', true],
    ['groupResource: deployments.apps, labelSelector: {matchLabels: {app: db}}', false],
    [
      'groupResource: deployments.apps, labelSelector: {matchExpressions: [{key: app, operator: In, values: [web, db]}]}',
      true,
    ],
    ['groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "2"}]', true],
    ['groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "1"}]', false],
    ['groupResource: deployments.apps, matches: [{path: /spec/paused, value: "true"}]', false],
    [
      'groupResource: deployments.apps, matches: [{path: /spec/template/spec/containers/0/image, value: "web:1"}]',
      true,
    ],
    [
      'groupResource: deployments.apps, matches: [{path: /spec/template/spec/containers/7/image, value: "web:1"}]',
      false,
    ],
    [
      'groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "2"}, {path: /metadata/name, value: other}]',
      false,
    ],
    [
      'groupResource: deployments.apps, matches: [{path: /spec/template/spec/nodeSelector, value: \'{"zone":"a"}\'}]',
      true,
    ],
  ])('{%s}: %s', (conditions, isMeant) => {
    const { object, problems } = applying(`- conditions: {${conditions}}\n  ${replicasTo3}`);
    expect([object.spec, problems]).toEqual([{ ...(deployment().spec as object), replicas: isMeant ? 3 : 2 }, []]);
  });

  it('include cluster-scoped ones, whatever namespaces are named', () => {
    const object = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: {} };
    const rule =
      '- conditions: {groupResource: persistentvolumes, namespaces: [shop]}\n  patches: [{operation: add, path: /spec/a, value: b}]';
    expect(applying(rule, object, 'persistentvolumes').object.spec).toEqual({ a: 'b' });
  });
});

const spec = (object: Unstructured) => object.spec as ReturnType<typeof deployment>['spec'] & Record<string, unknown>;
const pod = (object: Unstructured) => (spec(object) as { template: { spec: Record<string, unknown> } }).template.spec;

describe('JSON patches', () => {
  it.each<[patch: string, at: (object: Unstructured) => unknown, value: unknown]>([
    ['{operation: remove, path: /spec/template/spec/nodeSelector}', (o) => pod(o).nodeSelector, undefined],
    ['{operation: Add, path: /spec/paused, value: "true"}', (o) => spec(o).paused, true],
    [
      '{operation: add, path: /metadata/labels/a.b~1c, value: x}',
      (o) => o.metadata.labels,
      { app: 'web', 'a.b/c': 'x' },
    ],
    [
      '{operation: replace, path: /spec/template/spec/containers/1/image, value: "log:2"}',
      (o) => pod(o).containers,
      [
        { name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] },
        { name: 'log', image: 'log:2' },
      ],
    ],
    ['{operation: remove, path: /spec/template/spec/containers/1}', (o) => (pod(o).containers as []).length, 1],
    [
      '{operation: add, path: /spec/template/spec/containers/-, value: \'{"name":"x"}\'}',
      (o) => (pod(o).containers as unknown[])[2],
      { name: 'x' },
    ],
    [
      '{operation: move, from: /spec/template/spec/nodeSelector, path: /metadata/annotations}',
      (o) => o.metadata.annotations,
      { zone: 'a' },
    ],
    [
      '{operation: copy, from: /metadata/labels/app, path: /metadata/labels/copy}',
      (o) => o.metadata.labels,
      { app: 'web', copy: 'web' },
    ],
    // When a test operation fails, the rule does not apply to this object.
    [
      '{operation: test, path: /spec/replicas, value: "7"}, {operation: remove, path: /spec/template}',
      (o) => spec(o).replicas,
      2,
    ],
    [
      '{operation: test, path: /spec/nothing, value: x}, {operation: remove, path: /spec/template}',
      (o) => spec(o).replicas,
      2,
    ],
  ])('%s', (patch, at, value) => {
    const { object, problems } = applying(`- conditions: {groupResource: deployments.apps}\n  patches: [${patch}]`);
    expect([at(object), problems]).toEqual([value, []]);
  });

  it.each<[patch: string, problem: string]>([
    ['{operation: remove, path: /spec/nothing}', 'remove operation does not apply at /spec/nothing: nothing is there'],
    [
      '{operation: replace, path: /spec/nothing, value: x}',
      'replace operation does not apply at /spec/nothing: nothing is there',
    ],
    ['{operation: add, path: /spec/a/b, value: x}', 'add operation does not apply at /spec/a: nothing is there'],
    [
      '{operation: add, path: /spec/template/spec/containers/9, value: x}',
      'add operation does not apply at /spec/template/spec/containers/9: the list has no place 9',
    ],
    [
      '{operation: add, path: /spec/replicas/a, value: x}',
      'add operation does not apply at /spec/replicas/a: its parent is neither a map nor a list',
    ],
    ['{operation: copy, from: /spec/nothing, path: /spec/a}', 'copy operation does not apply at /spec/nothing'],
  ])('%s is an error of the object, which stays unchanged', (patch, problem) => {
    const { object, problems } = applying(`- conditions: {groupResource: deployments.apps}\n  patches: [${patch}]`);
    expect(object).toEqual(deployment());
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`error in applying JSON Patch ${problem}`);
  });

  it.each(['/metadata', '/metadata/name', '/kind', '/apiVersion'])('cannot remove %s', (path) => {
    const rule = `- conditions: {groupResource: deployments.apps}\n  patches: [{operation: remove, path: ${path}}]`;
    const { object, problems } = applying(rule);
    expect([object, problems.length]).toEqual([deployment(), 1]);
  });
});

describe('merge patches', () => {
  it.each<[data: string, at: (object: Unstructured) => unknown, value: unknown]>([
    ['spec: {replicas: 5}', (o) => spec(o).replicas, 5],
    ['spec: {template: {spec: {nodeSelector: null}}}', (o) => pod(o).nodeSelector, undefined],
    ['metadata: {labels: {more: "1"}}', (o) => o.metadata.labels, { app: 'web', more: '1' }],
    ['spec: {template: {spec: {volumes: []}}}', (o) => pod(o).volumes, []],
    ['{"spec": {"template": {"spec": {"containers": [{"name": "x"}]}}}}', (o) => pod(o).containers, [{ name: 'x' }]],
  ])('%s', (data, at, value) => {
    const { object, problems } = applying(
      `- conditions: {groupResource: deployments.apps}\n  mergePatches:\n  - patchData: '${data}'`,
    );
    expect([at(object), problems]).toEqual([value, []]);
  });

  it('of one rule are applied one after the other', () => {
    const rule =
      "- conditions: {groupResource: deployments.apps}\n  mergePatches: [{patchData: 'spec: {replicas: 5}'}, {patchData: 'spec: {replicas: 6}'}]";
    expect(spec(applying(rule).object).replicas).toBe(6);
  });
});

describe('strategic merge patches', () => {
  const strategic = (data: string) =>
    applying(`- conditions: {groupResource: deployments.apps}\n  strategicPatches:\n  - patchData: '${data}'`);

  it.each<[title: string, data: string, at: (object: Unstructured) => unknown, value: unknown]>([
    [
      'join containers by name',
      '{"spec":{"template":{"spec":{"containers":[{"name":"log","image":"log:2"}]}}}}',
      (o) => (pod(o).containers as { name: string; image: string }[]).map(({ name, image }) => [name, image]),
      [
        ['web', 'web:1'],
        ['log', 'log:2'],
      ],
    ],
    [
      'join ports of a container by number',
      '{"spec":{"template":{"spec":{"containers":[{"name":"web","ports":[{"containerPort":81}]}]}}}}',
      (o) => (pod(o).containers as { ports?: unknown[] }[])[0]?.ports,
      [{ containerPort: 80 }, { containerPort: 81 }],
    ],
    [
      'delete an element',
      '{"spec":{"template":{"spec":{"containers":[{"name":"log","$patch":"delete"}]}}}}',
      (o) => (pod(o).containers as []).length,
      1,
    ],
    [
      'replace a list',
      '{"spec":{"template":{"spec":{"containers":[{"name":"only"},{"$patch":"replace"}]}}}}',
      (o) => pod(o).containers,
      [{ name: 'only' }],
    ],
    [
      'replace a map',
      '{"spec":{"template":{"spec":{"nodeSelector":{"disk":"ssd","$patch":"replace"}}}}}',
      (o) => pod(o).nodeSelector,
      { disk: 'ssd' },
    ],
    [
      'retain keys',
      '{"spec":{"template":{"spec":{"volumes":[{"name":"tmp","$retainKeys":["name","hostPath"],"hostPath":{"path":"/x"}}]}}}}',
      (o) => pod(o).volumes,
      [{ name: 'tmp', hostPath: { path: '/x' } }],
    ],
    ['remove by null', '{"spec":{"replicas":null}}', (o) => spec(o).replicas, undefined],
    [
      'replace lists without a merge key',
      '{"spec":{"template":{"spec":{"tolerations":[{"key":"a"}]}}}}',
      (o) => pod(o).tolerations,
      [{ key: 'a' }],
    ],
  ])('%s', (_title, data, at, value) => {
    const { object, problems } = strategic(data);
    expect([at(object), problems]).toEqual([value, []]);
  });

  it('join ports of a Service by port', () => {
    const service: Unstructured = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'shop', name: 'web' },
      spec: {
        ports: [
          { port: 80, targetPort: 8080 },
          { port: 81, targetPort: 8081 },
        ],
      },
    };
    const rule =
      '- conditions: {groupResource: services}\n  strategicPatches: [{patchData: \'{"spec":{"ports":[{"port":81,"targetPort":9}]}}\'}]';
    expect(applying(rule, service, 'services').object.spec).toEqual({
      ports: [
        { port: 80, targetPort: 8080 },
        { port: 81, targetPort: 9 },
      ],
    });
  });

  it('are rejected for kinds that are not built into the API server', () => {
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { namespace: 'shop', name: 'w' } };
    const rule =
      "- conditions: {groupResource: widgets.example.com}\n  strategicPatches: [{patchData: 'spec: {a: b}'}]";
    const { object, problems } = applying(rule, widget, 'widgets.example.com');
    expect([object, problems]).toEqual([
      widget,
      ['strategic merge patches work for built-in kinds only, and example.com/v1 Widget is not one'],
    ]);
  });
});

describe('several rules', () => {
  it('are applied in order, each to the result of the previous one, and matched against the original object', () => {
    const { object } = applying(
      [
        '- conditions: {groupResource: deployments.apps}',
        '  patches: [{operation: replace, path: /spec/replicas, value: "3"}]',
        '- conditions: {groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "2"}]}',
        '  patches: [{operation: copy, from: /spec/replicas, path: /spec/was}]',
        '- conditions: {groupResource: deployments.apps, matches: [{path: /spec/replicas, value: "3"}]}',
        '  patches: [{operation: add, path: /spec/never, value: x}]',
      ].join('\n'),
    );
    expect(object.spec).toMatchObject({ replicas: 3, was: 3 });
    expect(object.spec).not.toHaveProperty('never');
  });

  it('do not depend on a rule that fails', () => {
    const { object, problems } = applying(
      `- conditions: {groupResource: deployments.apps}\n  patches: [{operation: remove, path: /x}]\n- conditions: {groupResource: deployments.apps}\n  ${replicasTo3}`,
    );
    expect([spec(object).replicas, problems.length]).toEqual([3, 1]);
  });

  it('keep numbers of the object as they are written', () => {
    const text =
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"big":9007199254740993,"ratio":1.0,"replicas":1}}';
    const { object } = applying(
      `- conditions: {groupResource: deployments.apps}\n  ${replicasTo3}`,
      parseExact(text) as Unstructured,
    );
    expect(stringify(object)).toBe(text.replace('"replicas":1', '"replicas":3'));
  });
});
