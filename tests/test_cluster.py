"""Claims about columns on a cluster: the same path, whoever dies on the way, and little is said on the wire."""

from __future__ import annotations

import os
import signal
import socket
import sys

import joblib
import numpy as np
import pytest
from scipy import sparse

import chemin
import loops
from chemin.dictionaries import (
    DenseDictionary,
    KernelDictionary,
    SparseDictionary,
    cluster,
    cluster_blocks,
    cluster_workers,
)  # fmt: skip
from chemin.dictionaries.cluster import on_cluster
from chemin.dictionaries.cluster_blocks import parts_of
from chemin.dictionaries.survey import Ahead, Units, survey_of
from chemin.exceptions import ClusterError, InvalidInputError, MissingLibraryError
from chemin.kernels import Gaussian

distributed = pytest.importorskip("distributed", reason="needs chemin[cluster]")
from workers import Workers, wait_until  # noqa: E402  (it needs the library)

WORKERS, EVENTS = 4, 250


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    """Four worker processes, for all tests."""
    with Workers(WORKERS, tmp_path_factory.mktemp("workers")) as workers:
        yield workers


@pytest.fixture
def client(workers):
    """The same four, or those that came in the place of the dead."""
    return workers.all_running()


def gaussian(n=60, p=4000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    return X, np.sign(X[:, 0] + X[:, 1] + rng.normal(size=n))


def dense():
    X, y = gaussian()
    return DenseDictionary(X), y


def thin():
    X, y = gaussian()
    return SparseDictionary(sparse.csc_array(np.where(np.abs(X) > 1.5, X, 0.0))), y


def kernel():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(120, 5))
    kernels = [Gaussian(width) for width in (0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)]
    scale = rng.uniform(0.5, 2.0, 120 * len(kernels))
    return KernelDictionary(Z, Z, kernels, scale), np.sign(
        Z[:, 0] * Z[:, 1] + 0.2 * rng.normal(size=120)
    )


KINDS = {"dense": dense, "sparse": thin, "kernel": kernel}


def follow(dictionary, y, where, **options):
    with on_cluster(dictionary, where) as columns:
        path = chemin.svm_path(columns, y, max_events=EVENTS, **options)
    return path, columns


def assert_same_path(path, other, tolerance=1e-12):
    np.testing.assert_array_equal(path.events["kind"], other.events["kind"])
    np.testing.assert_array_equal(path.events["index"], other.events["index"])
    np.testing.assert_allclose(path.l1, other.l1, rtol=0.0, atol=tolerance * other.l1[0])
    np.testing.assert_allclose(path.intercept, other.intercept, rtol=0.0, atol=tolerance * 10)
    assert abs(path.coef - other.coef).max() <= tolerance * max(1.0, abs(other.coef).max())


@pytest.mark.parametrize("kind", KINDS)
def test_four_workers_follow_the_path_of_one_process(kind, client):
    dictionary, y = KINDS[kind]()
    path, columns = follow(dictionary, y, client)
    assert len(columns.members) == WORKERS
    assert_same_path(path, chemin.svm_path(dictionary, y, max_events=EVENTS))
    assert path.certificate().worst_gap < 1e-12  # the path outlives the cluster's columns


@pytest.mark.parametrize("loss", ["huberized", "squared", "quantile"])
def test_workers_follow_the_paths_of_other_losses(loss, client):
    dictionary, y = dense()
    options = {"loss": loss, "max_events": EVENTS}
    with on_cluster(dictionary, client) as columns:
        path = chemin.path(columns, y.astype(float), **options)
    assert_same_path(path, chemin.path(dictionary, y.astype(float), **options), 1e-11)
    assert path.certificate().worst_gap < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_every_question_has_the_answer_of_the_dictionary(kind, client, monkeypatch):
    monkeypatch.setattr(cluster, "_MESSAGE", 0.0)
    dictionary, _ = KINDS[kind]()
    rng = np.random.default_rng(2)
    n, p = dictionary.shape
    rows, index, u = rng.permutation(n)[:5], rng.permutation(p)[:40], rng.normal(size=n)
    with on_cluster(dictionary, client) as columns:
        questions = {
            "columns": (index,), "block": (rows, index), "correlations": (u,), "column_norms": (), "column_ranges": (),
            "row_norms": (), "scores": (rng.normal(size=p),),
        }  # fmt: skip
        for verb, arguments in questions.items():
            expected = getattr(dictionary, verb)(*arguments)
            np.testing.assert_allclose(
                getattr(columns, verb)(*arguments), expected, rtol=1e-9, atol=1e-12
            )
        some = columns.correlations(np.outer(u[rows], [1.0, 2.0]), rows)
        np.testing.assert_allclose(
            some, dictionary.correlations(np.outer(u[rows], [1.0, 2.0]), rows), atol=1e-12
        )


@pytest.mark.parametrize("aim", [False, True])
def test_a_survey_finds_what_one_in_memory_finds(aim, client):
    dictionary, y = dense()
    rng = np.random.default_rng(5)
    n, p = dictionary.shape
    weight, excluded, active = np.ones(p), np.arange(0, p, 7), np.array([9, 2, 1])
    norm, ranges = dictionary.column_norms(), dictionary.column_ranges()
    with on_cluster(dictionary, client) as columns:
        here, there = (
            survey_of(source, norm, ranges, weight, excluded) for source in (dictionary, columns)
        )
        rows = rng.permutation(n)[:10]
        ahead = Ahead(rng.normal(size=10), rows, -0.5, 1.3) if aim else None
        axes = np.linalg.qr(rng.normal(size=(10, 2)) - 0.1)[0]
        units = Units(rows, axes, np.array([2.0, 5.0]), 0.3, 1.7)
        for survey in (here, there):
            survey.read(y)
            survey.update(np.linspace(0.0, 1.0, 10), rows)
            survey.measure_by(units)
        l1 = np.abs(here.correlation).max()
        for count in (50, p):
            found, expected = (
                there.nearest(l1, count, active, ahead),
                here.nearest(l1, count, active, ahead),
            )
            missed = np.setdiff1d(expected.columns, found.columns)
            assert len(missed) < 0.1 * len(expected.columns)
            assert 0.5 * expected.limit <= found.limit
            assert np.isin(active, found.columns).all()
            np.testing.assert_allclose(
                found.correlation, here.correlation[found.columns], atol=1e-12
            )
            np.testing.assert_allclose(found.pace, here.pace[found.columns], rtol=1e-12)
            unseen = np.setdiff1d(here.nearest(l1, p, active, ahead).columns, found.columns)
            distance = here._distances(l1) if ahead is None else here._distances_ahead(l1, ahead)
            assert distance[unseen].min(initial=np.inf) >= found.limit * (1.0 - 1e-9)
        for mine, other in zip(
            there.beyond(0.5 * l1, active), here.beyond(0.5 * l1, active), strict=True
        ):
            np.testing.assert_allclose(mine, other, atol=1e-12)


@pytest.mark.parametrize("screening", [True, False])
def test_a_path_whose_every_entry_is_fetched_is_the_same(screening, client, monkeypatch):
    monkeypatch.setattr(cluster, "_MESSAGE", 0.0)
    rng = np.random.default_rng(3)
    Z = rng.normal(size=(30, 2))
    dictionary, y = (
        KernelDictionary(Z, Z, [Gaussian(1.0), Gaussian(3.0)]),
        np.sign(Z[:, 0] * Z[:, 1]),
    )
    path, _ = follow(dictionary, y, client, screening=screening)
    assert_same_path(path, chemin.svm_path(dictionary, y, max_events=EVENTS, screening=screening))


@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_that_dies_leaves_the_path_as_it_was(kind, client, monkeypatch):
    loops.use(loops.EventByEvent, monkeypatch)
    dictionary, y = KINDS[kind]()
    undisturbed, _ = follow(dictionary, y, client)
    rng = np.random.default_rng(os.getpid())
    when, who, killed = (
        int(rng.integers(1, len(undisturbed.events) - 1)),
        int(rng.integers(WORKERS)),
        [],
    )

    def kill(events, l1):
        if events >= when and not killed:
            address = columns.workers.placed[who].address
            killed.extend(client.run(os.getpid, workers=[address]).values())
            os.kill(killed[0], signal.SIGKILL)

    with on_cluster(dictionary, client) as columns:
        path = chemin.svm_path(columns, y, max_events=EVENTS, progress=kill)
    assert columns.traffic.rebuilt == 1, f"killed block {who} at event {when}"
    np.testing.assert_array_equal(path.l1, undisturbed.l1)
    np.testing.assert_array_equal(path.intercept, undisturbed.intercept)
    assert (path.coef != undisturbed.coef).nnz == 0


def test_little_is_said_on_the_wire(client):
    dictionary, y = dense()
    path, columns = follow(dictionary, y, client)
    traffic, events = columns.traffic, len(path.events)
    n, p = dictionary.shape
    assert traffic.messages < WORKERS * events / 2, "most events need no message"
    assert traffic.sent / events < 8 * n * WORKERS, "less than a column to each worker"
    assert traffic.received / events < 8 * p / 4, "far less than all correlations"
    assert traffic.placed >= 8 * n * p


def test_the_workers_forget_their_blocks(client):
    dictionary, _ = dense()
    wait_until(lambda: blocks(client) == 0)
    for where in (client, client.scheduler.address):
        assert_a_loan(dictionary, where, client)


def test_a_local_cluster_is_taken_as_it_is():
    with local(n_workers=2) as cluster, distributed.Client(cluster) as client:
        assert_a_loan(dense()[0], cluster, client)


def assert_a_loan(dictionary, where, client):
    """Each worker has a block while the columns are in use, none afterwards, when they are those of the dictionary."""
    with on_cluster(dictionary, where) as columns:
        assert blocks(client) == len(columns.members) == len(client.nthreads())
    wait_until(lambda: blocks(client) == 0)
    np.testing.assert_array_equal(columns.column_norms(), dictionary.column_norms())
    np.testing.assert_array_equal(columns.row_norms(), dictionary.row_norms())


def blocks(client):
    return sum(client.run(lambda dask_worker: len(dask_worker.state.actors)).values())


def test_columns_are_dealt_like_cards():
    dictionary, _ = kernel()
    whole = dictionary.columns(np.arange(dictionary.shape[1]))
    for part in parts_of(dictionary, 7):
        block = part.cut()
        np.testing.assert_allclose(
            block.columns(np.arange(block.shape[1])), whole[:, part.members], rtol=1e-12
        )
    assert len(parts_of(DenseDictionary(np.ones((3, 2))), 7)) == 2


def test_without_the_library_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingLibraryError, match=r"pip install 'chemin\[cluster\]'"),
        on_cluster(*dense()),
    ):
        pass


@pytest.mark.parametrize(
    ("where", "error", "words"),
    [
        (
            "tcp://127.0.0.1:9",
            ClusterError,
            "no scheduler answers at tcp://127.0.0.1:9 .* start it",
        ),
        ("pigeon://here", ClusterError, "pigeon.*pass the scheduler's address"),
        (4, InvalidInputError, "cluster is 4: pass the scheduler's address"),
    ],
)
def test_a_cluster_that_is_not_there(where, error, words, monkeypatch):
    monkeypatch.setattr(cluster, "_CONNECTING", 0.5)
    with pytest.raises(error, match=words), on_cluster(dense()[0], where):
        pass


def test_where_somebody_else_answers(monkeypatch):
    """A dashboard's port, say: Dask's own client would wait for ever."""
    monkeypatch.setattr(cluster, "_CONNECTING", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(
            ClusterError, match=r"no scheduler answers .* pass the scheduler's address"
        ):
            chemin.svm_path(*gaussian(20, 30), cluster=where)


def test_a_worker_is_no_scheduler(client):
    worker = min(client.scheduler_info(n_workers=-1)["workers"])
    with pytest.raises(ClusterError, match="that is a Worker"):
        chemin.svm_path(*gaussian(20, 30), cluster=worker)


def test_a_closed_client(client):
    closed = distributed.Client(client.scheduler.address, set_as_default=False)
    closed.close()
    with pytest.raises(ClusterError, match="client is closed"):
        chemin.svm_path(*gaussian(20, 30), cluster=closed)


def test_a_worker_that_dies_while_its_block_is_cut_is_replaced(client, monkeypatch):
    X, y = gaussian()
    first = min(client.scheduler_info(n_workers=-1)["workers"])
    pid, cut, killed = client.run(os.getpid, workers=[first])[first], cluster_blocks.Part.cut, []

    def slow(part):
        if not killed:
            killed.append(pid)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda: first not in client.scheduler_info(n_workers=-1)["workers"])
        return cut(part)

    monkeypatch.setattr(
        cluster_workers.Workers, "_roomiest", first_then(first, cluster_workers.Workers._roomiest)
    )
    monkeypatch.setattr(cluster_blocks.Part, "cut", slow)
    path = chemin.svm_path(X, y, cluster=client, max_events=EVENTS)
    assert killed
    assert_same_path(path, chemin.svm_path(X, y, max_events=EVENTS))


def first_then(address, choose):
    """Return a choice that begins with one worker."""
    asked = []

    def chosen(self, part, lost):
        asked.append(part)
        return address if len(asked) == 1 else choose(self, part, lost)

    return chosen


def test_a_worker_that_pauses_gets_no_columns(client):
    dictionary, _ = dense()
    with on_cluster(dictionary, client) as columns:
        workers, known = columns.workers, columns.workers._living()
        paused = min(known)
        workers._living = lambda: {
            a: {**info, "status": "paused" if a == paused else "running"}
            for a, info in known.items()
        }
        chosen = {workers._roomiest(placed.part, "") for placed in workers.placed}
    assert paused not in chosen


def local(**options):
    return distributed.LocalCluster(
        processes=False, threads_per_worker=1, dashboard_address=":0", **options
    )


def test_a_cluster_without_workers():
    refused = pytest.raises(ClusterError, match="has no workers: start some")
    with local(n_workers=0) as empty, refused, on_cluster(dense()[0], empty):
        pass


def test_workers_with_too_little_memory():
    large = DenseDictionary(np.broadcast_to(0.0, (10**5, 10**4)))
    words = r"each of the 2 workers needs 7.45 GiB .* has 0.931 GiB .* start \d+ workers like these, or give each"
    refused = pytest.raises(InvalidInputError, match=words)
    with local(n_workers=2, memory_limit="1GB") as small, refused, on_cluster(large, small):
        pass


def test_other_dictionaries_are_refused(client):
    refused = pytest.raises(
        InvalidInputError, match="a ClusterDictionary cannot be spread over a cluster"
    )
    with on_cluster(dense()[0], client) as columns, refused, on_cluster(columns, client):
        pass


def test_when_the_last_worker_is_gone_the_message_names_the_checkpoint(monkeypatch):
    loops.use(loops.EventByEvent, monkeypatch)
    monkeypatch.setattr(cluster_workers, "_REPLACING", 0.5)
    dictionary, y = dense()
    with local(n_workers=1) as lonely, on_cluster(dictionary, lonely) as columns:

        def dismiss(events, l1):
            if events >= 20 and columns.workers._living():
                lonely.scale(0)
                wait_until(lambda: not columns.workers._living())

        with pytest.raises(ClusterError, match=r"last worker died.*checkpoint"):
            chemin.svm_path(columns, y, max_events=EVENTS, progress=dismiss)


def test_folds_and_machines_spread_over_the_cluster(client):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(90, 6))
    y = np.argmax(X[:, :3] + 0.3 * rng.normal(size=(90, 3)), axis=1)
    folds = chemin.SparseSVCCV(cv=3, n_jobs=2, random_state=0)
    machines = chemin.SparseSVC(l1=2.0, multiclass="ovo", n_jobs=2)
    for model, labels in ((folds, y > 0), (machines, y)):
        here = model.fit(X, labels).decision_function(X)
        with joblib.parallel_config(backend="dask"), distributed.get_task_stream(client) as stream:
            np.testing.assert_allclose(
                model.fit(X, labels).decision_function(X), here, rtol=1e-9, atol=1e-12
            )
        assert len(stream.data) >= 3  # where each of them runs is for the scheduler to say


def test_a_path_is_asked_for_with_a_cluster(client):
    dictionary, y = dense()
    path = chemin.svm_path(dictionary.data, y, max_events=EVENTS, cluster=client)
    assert_same_path(path, chemin.svm_path(dictionary, y, max_events=EVENTS))
    with pytest.raises(InvalidInputError, match="one of cluster and device"):
        chemin.svm_path(dictionary.data, y, cluster=client, device="auto")
