import { isObject, type Remark, shown } from './settings-value.ts';

/** Limit of kopia's cache when none is set (data-movement.md section 9). */
export const cacheLimitDefaultMB = 5000;

/** `cacheLimitMB` of the backup repository ConfigMap's key for kopia (api.md section 17.3). */
export function cacheLimitAt(name: string, data: Readonly<Record<string, string>> | undefined, remark: Remark): number {
  const text = data?.kopia;
  if (text === undefined) return cacheLimitDefaultMB;
  const settings = parse(text);
  if (!isObject(settings)) {
    remark(`ConfigMap ${name}: key "kopia" is ignored: it holds no JSON object`);
    return cacheLimitDefaultMB;
  }
  const { cacheLimitMB } = settings;
  if (cacheLimitMB === undefined) return cacheLimitDefaultMB;
  if (Number.isSafeInteger(cacheLimitMB) && (cacheLimitMB as number) > 0) return cacheLimitMB as number;
  remark(`ConfigMap ${name}: cacheLimitMB ${shown(cacheLimitMB)} is ignored: it must be a whole number above zero`);
  return cacheLimitDefaultMB;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
