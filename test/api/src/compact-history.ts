/** Compacts etcd to the newest version, through its JSON gateway, in which 64-bit numbers are strings. */
export async function compactHistory(etcdUrl: string): Promise<void> {
  const range = await post(`${etcdUrl}/v3/kv/range`, { key: Buffer.from('none').toString('base64') });
  const { revision } = (range as { header: { revision: string } }).header;
  await post(`${etcdUrl}/v3/kv/compaction`, { revision, physical: true });
}

async function post(url: string, body: object): Promise<unknown> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}
