/** Pages of lists: one row more than asked for is read, to know whether more follow. */

export async function pageOf<Node>(
  limit: number,
  read: (rows: number) => Promise<Node[]>,
): Promise<{ nodes: Node[]; hasMore: boolean }> {
  const nodes = await read(limit + 1)
  return { nodes: nodes.slice(0, limit), hasMore: nodes.length > limit }
}
