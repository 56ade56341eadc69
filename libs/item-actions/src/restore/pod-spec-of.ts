import type { PodSpec, Unstructured } from '@lateen/api-types';

interface Templated extends Unstructured {
  spec?: Partial<PodSpec> & {
    template?: { spec?: Partial<PodSpec> };
    jobTemplate?: { spec?: { template?: { spec?: Partial<PodSpec> } } };
  };
}

/** A copy of an object with the pod spec changed by `change`; the object itself when it has no pod spec, or nothing changes. */
export function withPodSpec(item: Unstructured, change: (spec: Partial<PodSpec>) => Partial<PodSpec>): Unstructured {
  const { spec } = item as Templated;
  if (spec === undefined) return item;
  const { jobTemplate, template } = spec;
  if (item.kind === 'Pod') return changed(item, spec, change(spec));
  if (jobTemplate?.spec?.template?.spec !== undefined) {
    const { template: ofJob } = jobTemplate.spec;
    const made = change(ofJob?.spec ?? {});
    if (made === ofJob?.spec) return item;
    return {
      ...item,
      spec: {
        ...spec,
        jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template: { ...ofJob, spec: made } } },
      },
    };
  }
  if (template?.spec === undefined) return item;
  const made = change(template.spec);
  return made === template.spec ? item : { ...item, spec: { ...spec, template: { ...template, spec: made } } };
}

const changed = (item: Unstructured, before: object, after: object): Unstructured =>
  before === after ? item : { ...item, spec: after };
