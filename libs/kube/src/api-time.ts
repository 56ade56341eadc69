/** metav1.Time: RFC 3339 in whole seconds, UTC. */
export const apiTime = (epochMs: number): string => new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');

/** metav1.MicroTime: six digits after the second, as Leases need; the API server refuses fewer. */
export const apiMicroTime = (epochMs: number): string => new Date(epochMs).toISOString().replace(/Z$/, '000Z');
