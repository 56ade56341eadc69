import { describeError } from '@lateen/errors';
import type { LogFields } from '@lateen/kernel';

/** Where a message of the results belongs: the namespace of the item, else the cluster, else to no item at all. */
export interface ResultLine {
  bucket: { namespace: string } | 'cluster' | 'velero';
  text: string;
}

/**
 * A line of the log of a backup, or of a restore, as Velero puts it into the results: ` resource: /pods name: /web-0 message: /… error: /…`, parts
 * only where there are any (object-store-layout.md section 5.4). Pure.
 * @param redact takes out what must not be told
 */
export function resultLine(fields: LogFields, message: string, redact: (text: string) => string): ResultLine {
  const { resource, namespace, name, err } = fields;
  const said = typeof fields.reason === 'string' && err === undefined ? fields.reason : undefined;
  const error = err === undefined ? said : describeError(err);
  const parts = [
    part('resource', resource),
    part('name', name),
    part('message', message),
    part('error', error === undefined ? undefined : redact(error)),
  ];
  const bucket = typeof namespace === 'string' && namespace !== '' ? { namespace } : 'cluster';
  return { bucket: resource === undefined && bucket === 'cluster' ? 'velero' : bucket, text: parts.join('') };
}

const part = (label: string, value: unknown): string =>
  value === undefined || value === '' ? '' : ` ${label}: /${String(value)}`;
