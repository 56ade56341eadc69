/** Operating systems a data mover can run on; `auto` and an absent value read as linux on restore (data-movement.md section 5). */
export const nodeOperatingSystems = ['auto', 'linux', 'windows'] as const;

export type NodeOS = (typeof nodeOperatingSystems)[number];
