import type { ResourceType, Unstructured } from '@lateen/kube';
import { invalid } from './api-error.ts';

const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const qualifiedName =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelLengthMax = 63;
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Validation of metadata that the API server applies to every object, limited to mistakes that code makes when it builds labels and
 * references from the names of other objects. @throws KUBE_INVALID
 */
export function checkMetadata(type: ResourceType, object: Unstructured): void {
  const refuse = (why: string): never => {
    throw invalid(type, object.metadata.name ?? '', why);
  };
  const { labels = {}, annotations = {}, finalizers = [], ownerReferences = [] } = object.metadata;
  for (const [key, value] of Object.entries(labels)) {
    checkKey(key, 'metadata.labels', refuse);
    if (value.length > labelLengthMax) {
      refuse(`metadata.labels: Invalid value: "${value}": must be no more than 63 characters`);
    }
    if (!labelValue.test(value)) {
      refuse(
        `metadata.labels: Invalid value: "${value}": a valid label must be an empty string or consist of ${charset}`,
      );
    }
  }
  for (const key of Object.keys(annotations)) checkKey(key.toLowerCase(), 'metadata.annotations', refuse);
  finalizers.forEach((finalizer, at) => {
    if (finalizer.includes('/') || standardFinalizers.has(finalizer) || isCustom(type)) return;
    const rule = 'name is neither a standard finalizer name nor is it fully qualified';
    refuse(`metadata.finalizers[${at}]: Invalid value: "${finalizer}": ${rule}`);
  });
  for (const reference of ownerReferences) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (!reference[field]) refuse(`metadata.ownerReferences.${field}: Invalid value: "": must not be empty`);
    }
  }
  if (ownerReferences.filter((reference) => reference.controller === true).length > 1) {
    refuse('metadata.ownerReferences: Invalid value: Only one reference can have Controller set to true');
  }
}

/** Custom kinds may have finalizers without a path; the real server only warns. */
const isCustom = ({ group }: ResourceType): boolean => group.includes('.') && !group.endsWith('.k8s.io');

const charset =
  "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function checkKey(key: string, field: string, refuse: (why: string) => never): void {
  const name = key.slice(key.indexOf('/') + 1);
  if (qualifiedName.test(key) && name.length <= labelLengthMax) return;
  refuse(`${field}: Invalid value: "${key}": name part must be a qualified name of at most 63 characters`);
}
