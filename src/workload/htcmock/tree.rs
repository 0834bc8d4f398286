//! The tree of HtcMock's compute tasks: a balanced-parentheses walk over random bits.

use std::ops::Range;

use super::random::Random;

/// The number of a node: level by level, the root is 0.
pub type Node = u32;

/// A tree in level order, so that the children of a node are consecutive and one number a node says
/// where they begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// First child of each node, and the number of nodes at the end.
    first_child: Vec<Node>,
    /// Checksum of each node's id, see [`IdChecksum`].
    checksums: Vec<IdChecksum>,
    /// Nodes at each depth; the root's level is left out.
    shape: Vec<u32>,
}

impl Tree {
    /// The tree that a generator of this seed grows, of about `tasks` nodes and at most `levels` levels
    /// below the root.
    ///
    /// Bits come lowest first from bytes that are drawn 100 at a time. A one opens a node, unless the walk
    /// is `levels` deep; a zero closes one, unless none is open. The walk ends as soon as
    /// `floor(steps/2) + floor(depth/2) >= tasks`; then what is open is closed and one root goes around it.
    pub fn grow(seed: i32, tasks: u32, levels: u32) -> Self {
        let mut depths = Vec::new();
        let mut random = Random::new(seed);
        let mut bytes = [0; 100];
        let (mut steps, mut depth) = (0_u64, 0_u32);
        let is_grown = |steps: u64, depth: u32| steps / 2 + u64::from(depth / 2) >= u64::from(tasks);
        while levels > 0 && !is_grown(steps, depth) {
            random.next_bytes(&mut bytes);
            for bit in bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1)) {
                if is_grown(steps, depth) {
                    break;
                }
                if bit == 1 && depth < levels {
                    depth += 1;
                    depths.push(depth);
                } else if bit == 0 && depth > 0 {
                    depth -= 1;
                } else {
                    continue;
                }
                steps += 1;
            }
        }
        Tree::from_depths(&depths)
    }

    /// From the depths of the nodes in the order in which the walk opens them: a node's parent is the
    /// last one before it that is one level higher.
    fn from_depths(depths: &[u32]) -> Self {
        let deepest = depths.iter().copied().max().unwrap_or(0) as usize;
        let mut shape = vec![0_u32; deepest];
        for &depth in depths {
            shape[depth as usize - 1] += 1;
        }
        // the next free number of each level
        let mut free: Vec<Node> = vec![0; deepest + 1];
        let mut count: Node = 1;
        for (level, &nodes) in shape.iter().enumerate() {
            free[level + 1] = count;
            count += nodes;
        }
        let mut open = vec![0; deepest + 1];
        let mut children = vec![0_u32; count as usize];
        for &depth in depths {
            let depth = depth as usize;
            open[depth] = free[depth];
            free[depth] += 1;
            children[open[depth - 1] as usize] += 1;
        }
        let mut first_child = Vec::with_capacity(count as usize + 1);
        let mut checksums = vec![IdChecksum::ROOT; count as usize];
        let mut next: Node = 1;
        for (node, &number) in children.iter().enumerate() {
            first_child.push(next);
            for child in 0..number {
                checksums[next as usize] = checksums[node].child(child);
                next += 1;
            }
        }
        first_child.push(next);
        Tree { first_child, checksums, shape }
    }

    /// How many nodes there are, with the root.
    pub fn len(&self) -> u32 {
        self.checksums.len() as u32
    }

    /// Never: there is always a root.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The children of a node; `None` if there is no such node.
    pub fn children(&self, node: Node) -> Option<Range<Node>> {
        let node = node as usize;
        Some(*self.first_child.get(node)?..*self.first_child.get(node + 1)?)
    }

    /// The checksum of a node's id.
    pub fn checksum(&self, node: Node) -> Option<IdChecksum> {
        self.checksums.get(node as usize).copied()
    }

    /// Nodes at each depth below the root.
    pub fn shape(&self) -> &[u32] {
        &self.shape
    }
}

/// CRC-32 over an id as UTF-16LE (polynomial 0xEDB88320, start 0xFFFFFFFF, no final inversion): made
/// from the parent's, so no id is ever spelled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdChecksum(u32);

impl IdChecksum {
    /// That of `root`.
    pub const ROOT: IdChecksum = IdChecksum(u32::MAX).characters(b"root");

    /// That of the id with `.number` behind it.
    #[must_use]
    pub fn child(self, number: u32) -> Self {
        let mut digits = [0; 10];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.characters(b".").characters(&digits[start..])
    }

    /// The number itself.
    pub fn value(self) -> u32 {
        self.0
    }

    const fn characters(self, ascii: &[u8]) -> Self {
        let mut value = self.0;
        let mut i = 0;
        while i < ascii.len() {
            // a character is two bytes, the second one zero
            value = TABLE[((value ^ ascii[i] as u32) & 0xFF) as usize] ^ (value >> 8);
            value = TABLE[(value & 0xFF) as usize] ^ (value >> 8);
            i += 1;
        }
        IdChecksum(value)
    }
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    fn independent(id: &str) -> u32 {
        let bytes: Vec<u8> = id.encode_utf16().flat_map(u16::to_le_bytes).collect();
        !crc32fast::hash(&bytes)
    }

    #[test]
    fn val_checksums_are_those_of_the_spelled_ids() {
        assert_eq!(IdChecksum::ROOT.value(), independent("root"));
        let child = IdChecksum::ROOT.child(0).child(104).child(4_294_967_295);
        assert_eq!(child.value(), independent("root.0.104.4294967295"));
    }

    #[test]
    fn levels_are_numbered_one_after_the_other() {
        // root: a (with c, d), b (with e)
        let tree = Tree::from_depths(&[1, 2, 2, 1, 2]);
        assert_eq!(tree.shape(), [2, 3]);
        let children: Vec<_> = (0..7).map(|node| tree.children(node)).collect();
        assert_eq!(children, [Some(1..3), Some(3..5), Some(5..6), Some(6..6), Some(6..6), Some(6..6), None]);
        assert_eq!(tree.checksum(4).unwrap().value(), independent("root.0.1"));
        assert_eq!(tree.checksum(5).unwrap().value(), independent("root.1.0"));
        assert_eq!(tree.checksum(6), None);
    }

    #[test]
    fn no_levels_or_no_tasks_leave_the_root() {
        for (tasks, levels) in [(10, 0), (0, 5)] {
            let tree = Tree::grow(1, tasks, levels);
            assert_eq!((tree.len(), tree.shape(), tree.children(0)), (1, &[][..], Some(1..1)));
        }
    }

    #[test]
    fn prop_children_cover_every_node_once_and_respect_the_levels() {
        for seed in 0..40 {
            let levels = 1 + seed as u32 % 7;
            let tree = Tree::grow(seed, 500, levels);
            let covered: u32 = (0..tree.len()).map(|node| tree.children(node).unwrap().len() as u32).sum();
            assert_eq!(covered + 1, tree.len());
            assert_eq!(tree.shape().iter().sum::<u32>() + 1, tree.len());
            assert!(tree.shape().len() <= levels as usize && (500..=520).contains(&tree.len()), "{}", tree.len());
        }
    }
}
