//! The nodes of a program.

use std::sync::Arc;

use millstream_types::{DataType, Value};

use crate::{CastMode, Column, KernelRef, Keywords};

/// Position of a node in its program. Inputs come before what reads them.
pub(super) type NodeId = usize;

/// What a node does with its inputs.
#[derive(Debug)]
pub(super) enum Op {
    Column(usize),
    Literal(Column),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Not(NodeId),
    Case {
        branches: Vec<(NodeId, NodeId)>,
        otherwise: NodeId,
    },
    /// The first that is not NULL.
    Coalesce(Vec<NodeId>),
    Cast {
        input: NodeId,
        from: DataType,
        mode: CastMode,
    },
    Field {
        input: NodeId,
        index: usize,
    },
    Call {
        kernel: KernelRef,
        args: Vec<NodeId>,
    },
}

/// A node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) data_type: DataType,
    /// Whether it, or what it reads, fails on some values.
    pub(super) fallible: bool,
    /// Whether evaluating it costs more than taking the rows that need it: text functions, nested calls.
    pub(super) dear: bool,
}

/// What makes two nodes the same.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Column(usize),
    Literal(Value, DataType),
    And(Vec<NodeId>),
    Or(Vec<NodeId>),
    Not(NodeId),
    Case(Vec<(NodeId, NodeId)>, NodeId, DataType),
    Coalesce(Vec<NodeId>, DataType),
    Cast(NodeId, CastMode, DataType),
    Field(NodeId, usize),
    Call(Arc<str>, Keywords, Vec<NodeId>, DataType),
}
