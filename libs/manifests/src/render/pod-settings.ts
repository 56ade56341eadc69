import type { Unstructured } from '@lateen/kube';
import { type Template, withTemplate } from './pod-template.ts';
import type { ContainerResources, RenderOptions } from './render-options.ts';

/** The service accounts of deploy/base that work with object storage. */
const ownAccounts: ReadonlySet<string> = new Set(['velero', 'node-agent']);

/** Puts resources, labels, annotations and the service account into the objects of controller and node-agent. */
export function withPodSettings(objects: readonly Unstructured[], options: RenderOptions): Unstructured[] {
  return objects
    .filter((object) => options.serviceAccountName === undefined || !isOwnAccount(object))
    .map((object) => {
      if (isOwnAccount(object)) return withAnnotations(object, options.serviceAccountAnnotations);
      if (options.serviceAccountName !== undefined && isBinding(object))
        return withSubject(object, options.serviceAccountName);
      if (options.serviceAccountName !== undefined && isRole(object))
        return withTokensOf(object, options.serviceAccountName);
      return withTemplate(object, (template) => changeTemplate(template, options));
    });
}

const isOwnAccount = ({ kind, metadata }: Unstructured): boolean =>
  kind === 'ServiceAccount' && ownAccounts.has(metadata.name ?? '');

const isBinding = ({ kind }: Unstructured): boolean => kind === 'RoleBinding' || kind === 'ClusterRoleBinding';

const isRole = ({ kind }: Unstructured): boolean => kind === 'Role';

interface Rule {
  resources?: string[];
  resourceNames?: string[];
}

/** An account may request tokens of itself alone, by its name. */
function withTokensOf(object: Unstructured, name: string): Unstructured {
  const rules = (object.rules ?? []) as Rule[];
  const isOfTokens = ({ resources = [] }: Rule): boolean => resources.includes('serviceaccounts/token');
  return { ...object, rules: rules.map((rule) => (isOfTokens(rule) ? { ...rule, resourceNames: [name] } : rule)) };
}

function withAnnotations(object: Unstructured, annotations: Readonly<Record<string, string>> = {}): Unstructured {
  if (Object.keys(annotations).length === 0) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

function withSubject(object: Unstructured, name: string): Unstructured {
  const subjects = object.subjects as { kind: string; name: string; namespace: string }[];
  return { ...object, subjects: subjects.map((subject) => ({ ...subject, name })) };
}

function changeTemplate({ metadata, spec }: Template, options: RenderOptions): void {
  const { podAnnotations = {}, podLabels = {}, serviceAccountName, resources = {} } = options;
  // The labels and annotations of deploy/base select pods and find metrics: they stay.
  if (Object.keys(podAnnotations).length > 0) metadata.annotations = { ...podAnnotations, ...metadata.annotations };
  metadata.labels = { ...podLabels, ...metadata.labels };
  if (serviceAccountName !== undefined) spec.serviceAccountName = serviceAccountName;
  for (const container of spec.containers) {
    const wanted = resources[container.name];
    if (wanted !== undefined) container.resources = merged(container.resources as ContainerResources, wanted);
  }
}

function merged(base: ContainerResources = {}, wanted: ContainerResources): ContainerResources {
  const both = (['requests', 'limits'] as const).map((field) => {
    const values = Object.entries({ ...base[field], ...wanted[field] }).filter(([, quantity]) => quantity !== '0');
    return [field, Object.fromEntries(values)] as const;
  });
  return Object.fromEntries(both.filter(([, values]) => Object.keys(values).length > 0));
}
