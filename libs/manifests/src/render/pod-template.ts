import type { KubeObject, Unstructured } from '@lateen/kube';

/** The parts of a workload's pod template that rendering touches; everything else is carried along. */
export interface Workload extends KubeObject {
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
      spec: { containers: Container[]; nodeSelector?: Record<string, string>; [field: string]: unknown };
    };
    [field: string]: unknown;
  };
}

export interface Container {
  name: string;
  args?: string[];
  [field: string]: unknown;
}

export function isWorkload(object: Unstructured): object is Unstructured & Workload {
  return object.apiVersion === 'apps/v1' && (object.kind === 'Deployment' || object.kind === 'DaemonSet');
}

/** A copy of the workload whose pod template went through `change`; other objects come back as they are. */
export function withTemplate(object: Unstructured, change: (template: Template) => void): Unstructured {
  if (!isWorkload(object)) return object;
  const copy = structuredClone(object);
  change(copy.spec.template);
  return copy;
}

export type Template = Workload['spec']['template'];
