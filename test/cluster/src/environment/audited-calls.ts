import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type AuditedCall, auditedCall } from '@lateen/deploy';

/** Calls of service accounts of these namespaces since that time, from kube-apiserver's audit log, including rotated parts. */
export async function auditedCalls(
  auditLogDir: string,
  { sinceMs, namespaces }: { sinceMs: number; namespaces: readonly string[] },
): Promise<AuditedCall[]> {
  const calls: AuditedCall[] = [];
  for (const name of (await readdir(auditLogDir)).sort()) {
    const lines = createInterface({ input: createReadStream(join(auditLogDir, name)) });
    for await (const line of lines) {
      const call = line === '' ? undefined : auditedCall(line);
      if (call === undefined || call.atMs < sinceMs) continue;
      if (namespaces.some((namespace) => call.subject.startsWith(`${namespace}/`))) calls.push(call);
    }
  }
  return calls;
}
